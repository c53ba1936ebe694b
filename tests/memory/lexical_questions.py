# ruff: noqa: RUF001 (it has letters of many scripts)
"""Questions that share words, numbers or identifiers with one of 460 memories, in twelve writing systems.

Each writing system has six people and six facts about each, so that neither a name nor a fact alone finds the memory.
"""

import unicodedata
from typing import NamedTuple

_ASCII = "0123456789"
_GROUPED = "{:,}".format


class Language(NamedTuple):
    """How people of a writing system write: `facts` have places for a name and for numbers."""

    names: list[str]
    #: Rent, invoice, allergy, file, instruments, move.
    facts: list[str]
    #: A question, the position of its fact and of its name.
    questions: list[tuple[str, int, int]]
    digits: str = _ASCII


_FILE = "/srv/data/report-{file}.pdf"
_LANGUAGES = [
    Language(
        ["Zoë Meyer", "José Núñez", "Łukasz Nowak", "Maeve O’Brien", "Renée Dubois", "Sören Weiß"],
        [
            "{name} pays a rent of €{amount} each month.",
            "{name} paid the invoice {invoice} on Friday.",
            "{name} is allergic to “hazelnuts” and almonds.",
            f"{{name}} opened {_FILE} yesterday.",
            "{name} plays the cello—and a naïve oboe—on Sundays.",
            "{name} moved staging→production the class CheckoutTotals.",
        ],
        [
            ("Zoe Meyer hazelnuts", 2, 0),
            ("jose nunez production", 5, 1),
            ("LUKASZ NOWAK oboe", 4, 2),
            ("OBrien almonds", 2, 3),
            ("What does O'Brien play, the cello?", 4, 3),
            ("renee dubois checkout totals", 5, 4),
            ("SOREN WEISS naive", 4, 5),
            ("Dubois (hazelnuts)", 2, 4),
        ],
    ),
    Language(
        [
            "Μαρία Παπαδοπούλου", "Γιώργος Νικολάου", "Ελένη Οικονόμου",
            "Νίκος Αντωνίου", "Σοφία Δημητρίου", "Κώστας Βασιλείου",
        ],
        [
            "{name} πληρώνει ενοίκιο {amount} € τον μήνα.",
            "{name} πλήρωσε το τιμολόγιο {invoice} την Παρασκευή.",
            "{name} έχει αλλεργία στα «φουντούκια» και στα αμύγδαλα.",
            f"{{name}} άνοιξε το αρχείο {_FILE} χθες.",
            "{name} παίζει βιολοντσέλο—και πιάνο—κάθε Κυριακή.",
            "{name} μετακόμισε: Αθήνα→Θεσσαλονίκη.",
        ],
        [
            ("ΜΑΡΙΑ ΠΑΠΑΔΟΠΟΥΛΟΥ φουντουκια", 2, 0),
            ("γιωργος θεσσαλονικη", 5, 1),
            ("Ελενη πιανο", 4, 2),
            ("ΝΙΚΟΣ ΑΜΥΓΔΑΛΑ", 2, 3),
            ("“Σοφία” Θεσσαλονίκη", 5, 4),
            ("Κωστας βιολοντσελο", 4, 5),
            ("Αντωνίου πιάνο;", 4, 3),
            ("Δημητριου αλλεργια", 2, 4),
        ],
    ),
    Language(
        ["Алёна Королёва", "Пётр Семёнов", "Ольга Зайцева", "Андрей Йорданов", "Фёдор Щукин", "Ирина Чайка"],
        [
            "{name} платит за квартиру {amount} ₽ в месяц.",
            "{name}: счёт {invoice} оплачен в пятницу.",
            "{name}: аллергия на «фундук» и миндаль.",
            f"{{name}}: вчера открыт файл {_FILE}.",
            "{name} играет на виолончели—и на пианино—по воскресеньям.",
            "{name}: переезд Казань→Самара.",
        ],
        [
            ("алена королева фундук", 2, 0),
            ("петр семенов самара", 5, 1),
            ("ОЛЬГА ПИАНИНО", 4, 2),
            ("Андрей Иорданов миндаль", 2, 3),
            ("федор щукин казань", 5, 4),
            ("„Ирина“ виолончели", 4, 5),
            ("Семёнов аллергия?", 2, 1),
            ("чайка самара", 5, 5),
        ],
    ),
    Language(
        ["Անահիտ Սարգսյան", "Հայկ Պետրոսյան", "Լիլիթ Գրիգորյան", "Տիգրան Հակոբյան", "Նարե Մկրտչյան", "Արամ Վարդանյան"],
        [
            "{name} վճարում է ամսական {amount} ֏ վարձ։",
            "{name} վճարեց {invoice} հաշիվը ուրբաթ օրը։",
            "{name} ալերգիա ունի «պնդուկից» և նուշից։",
            f"{{name}} երեկ բացեց {_FILE} ֆայլը։",
            "{name} կիրակի օրերին նվագում է թավջութակ—նաև դաշնամուր։",
            "{name} տեղափոխվեց Երևան→Գյումրի։",
        ],
        [
            ("ԱՆԱՀԻՏ պնդուկից", 2, 0),
            ("հայկ գյումրի", 5, 1),
            ("Լիլիթ դաշնամուր", 4, 2),
            ("ՏԻԳՐԱՆ նուշից", 2, 3),
            ("«Նարե» թավջութակ", 4, 4),
            ("արամ վարդանյան գյումրի", 5, 5),
            ("Պետրոսյան դաշնամուր", 4, 1),
            ("մկրտչյան ալերգիա", 2, 4),
        ],
    ),
    Language(
        ["ნინო ბერიძე", "გიორგი კაპანაძე", "თამარ ლომიძე", "დავით მაისურაძე", "ქეთევან ჯაფარიძე", "ლევან გელაშვილი"],
        [
            "{name} თვეში {amount} ₾ ქირას იხდის.",
            "{name} პარასკევს გადაიხადა ინვოისი {invoice}.",
            "{name}: ალერგია „თხილზე“ და ნუშზე.",
            f"{{name}} გუშინ გახსნა ფაილი {_FILE}.",
            "{name} კვირას უკრავს ჩელოზე—და პიანინოზე.",
            "{name} გადავიდა თბილისი→ბათუმი.",
        ],
        [
            ("ნინო თხილზე", 2, 0),
            ("ᲒᲘᲝᲠᲒᲘ ბათუმი", 5, 1),
            ("თამარ პიანინოზე", 4, 2),
            ("დავით ნუშზე", 2, 3),
            ("“ქეთევან” ჩელოზე", 4, 4),
            ("ლევან გელაშვილი ბათუმი", 5, 5),
            ("კაპანაძე პიანინოზე", 4, 1),
            ("ჯაფარიძე ალერგია", 2, 4),
        ],
    ),
    Language(
        ["נועה לוי", "יוסי כהן", "תמר מזרחי", "אבי פרץ", "רות ביטון", "דוד אדרי"],
        [
            "{name}: שכר דירה של ₪{amount} בחודש.",
            "{name}: חשבונית {invoice} שולמה ביום שישי.",
            "{name}: אלרגיה „אגוזים“ ושקדים.",
            f"{{name}}: אתמול נפתח {_FILE}.",
            "{name}: מנגינת צ׳לו—וגם פסנתר—בימי ראשון.",
            "{name}, מנכ״ל, מעבר חיפה→ירושלים.",
        ],
        [
            ("נועה אגוזים", 2, 0),
            ('יוסי כהן מנכ"ל', 5, 1),
            ("תמר צ'לו", 4, 2),
            ("אבי פרץ שקדים", 2, 3),
            ("“רות” ירושלים", 5, 4),
            ("דָּוִד פסנתר", 4, 5),
            ("כהן צלו", 4, 1),
            ("נועה מנכל", 5, 0),
        ],
    ),
    Language(
        ["أحمد الهاشمي", "إيمان الزهراني", "آمنة المصري", "فاطمة الشامي", "مصطفى الخوري", "ليلى القاسم"],
        [
            "{name} يدفع إيجارًا قدره {amount} ريال شهريًا.",
            "{name} دفع الفاتورة {invoice} يوم الجمعة.",
            "{name} لديه حساسية من «البندق» واللوز.",
            f"{{name}} فتح الملف {_FILE} أمس.",
            "{name} يعزف التشيلو—والبيانو—كل أحد.",
            "{name} انتقل من القاهرة→الإسكندرية.",
        ],
        [
            ("احمد البندق", 2, 0),
            ("ايمان الاسكندرية", 5, 1),
            ("امنه والبيانو", 4, 2),
            ("فاطمه الشامى واللوز", 2, 3),
            ("مصطفي التشيلو", 4, 4),
            ("ليلي القاسم القاهره", 5, 5),
            ("أَحْمَد الْإِسْكَنْدَرِيَّة", 5, 0),
            ("الزهراني حساسيه؟", 2, 1),
        ],
        "٠١٢٣٤٥٦٧٨٩",
    ),
    Language(
        ["अनीता शर्मा", "राजेश वर्मा", "पूजा मिश्रा", "विकास यादव", "सुनीता जोशी", "मोहन गुप्ता"],
        [
            "{name} का किराया ₹{amount} हर महीने।",
            "{name} ने शुक्रवार को चालान {invoice} भरा।",
            "{name} को “हेज़लनट” और बादाम से एलर्जी है।",
            f"{{name}} ने कल {_FILE} खोला।",
            "{name} रविवार को सेलो—और पियानो—बजाते हैं।",
            "{name} दिल्ली→मुंबई गए।",
        ],
        [
            ("अनीता हेज़लनट", 2, 0),
            ("राजेश मुंबई", 5, 1),
            ("पूजा पियानो", 4, 2),
            ("विकास बादाम", 2, 3),
            ("“सुनीता” सेलो", 4, 4),
            ("मोहन गुप्ता दिल्ली", 5, 5),
            ("वर्मा एलर्जी", 2, 1),
            ("जोशी मुंबई?", 5, 4),
        ],
        "०१२३४५६७८९",
    ),
    Language(
        ["สมชาย", "สุดา", "วิชัย", "มาลี", "ประเสริฐ", "กานดา"],
        [
            "{name}จ่ายค่าเช่าเดือนละ {amount} บาท",
            "{name}ชำระใบแจ้งหนี้ {invoice} เมื่อวันศุกร์",
            "{name}แพ้ “เฮเซลนัท” และอัลมอนด์",
            f"เมื่อวาน{{name}}เปิดไฟล์ {_FILE}",
            "{name}เล่นเชลโล—และเปียโน—ทุกวันอาทิตย์",
            "{name}ย้ายจากกรุงเทพ→เชียงใหม่",
        ],
        [
            ("สมชาย อัลมอนด์", 2, 0),
            ("สุดาย้ายเชียงใหม่", 5, 1),
            ("วิชัยเปียโน", 4, 2),
            ("มาลีเฮเซลนัท", 2, 3),
            ("“ประเสริฐ” เชลโล", 4, 4),
            ("กานดา กรุงเทพ", 5, 5),
            ("สุดาแพ้อัลมอนด์", 2, 1),
            ("มาลี เปียโน", 4, 3),
        ],
        "๐๑๒๓๔๕๖๗๘๙",
    ),
    Language(
        ["王小明", "李秀英", "张伟", "陈静", "刘洋", "赵敏"],
        [
            "{name}每月付房租{amount}元。",
            "{name}周五付了发票{invoice}。",
            "{name}对“榛子”和杏仁过敏。",
            f"{{name}}昨天打开了{_FILE}。",
            "{name}每周日拉大提琴——也弹钢琴。",
            "{name}从北京→上海搬家了。",
        ],
        [
            ("王小明榛子", 2, 0),
            ("李秀英 上海", 5, 1),
            ("张伟钢琴", 4, 2),
            ("陈静杏仁过敏", 2, 3),
            ("“刘洋”大提琴", 4, 4),
            ("赵敏搬家北京", 5, 5),
            ("李秀英对什么过敏", 2, 1),
            ("陈静 钢琴", 4, 3),
        ],
    ),
    Language(
        ["佐藤さくら", "鈴木ケンジ", "高橋みどり", "田中ハルト", "伊藤ユウカ", "渡辺タロウ"],
        [
            "{name}さんの家賃は月{amount}円です。",
            "{name}さんは金曜日に請求書{invoice}を払いました。",
            "{name}さんは「ヘーゼルナッツ」とアーモンドのアレルギーがあります。",
            f"{{name}}さんは昨日{_FILE}を開きました。",
            "{name}さんは日曜日にチェロ——とピアノ——を弾きます。",
            "{name}さんは東京→京都へ引っ越しました。",
        ],
        [
            ("佐藤さくら アーモンド", 2, 0),
            ("鈴木ｹﾝｼﾞ 京都", 5, 1),
            ("高橋みどり ピアノ", 4, 2),
            ("田中ハルトのアレルギー", 2, 3),
            ("「伊藤ユウカ」チェロ", 4, 4),
            ("渡辺ﾀﾛｳ 東京", 5, 5),
            ("鈴木ケンジはどこへ引っ越しましたか", 5, 1),
            ("田中 ピアノ", 4, 3),
        ],
        "０１２３４５６７８９",
    ),
    Language(
        ["김민수", "이서연", "박지훈", "최유진", "정하늘", "강도윤"],
        [
            "{name}의 월세는 ₩{amount}이다.",
            "{name}가 금요일에 청구서 {invoice}를 냈다.",
            "{name}는 “헤이즐넛”과 아몬드에 알레르기가 있다.",
            f"{{name}}가 어제 {_FILE}를 열었다.",
            "{name}는 일요일마다 첼로—와 피아노—를 연주한다.",
            "{name}는 서울→부산으로 이사했다.",
        ],
        [
            ("김민수 헤이즐넛", 2, 0),
            ("이서연 부산", 5, 1),
            ("박지훈은 피아노", 4, 2),
            ("최유진 아몬드 알레르기", 2, 3),
            ("“정하늘” 첼로", 4, 4),
            ("강도윤이 서울에서", 5, 5),
            ("이서연이 알레르기", 2, 1),
            ("최유진의 피아노", 4, 3),
        ],
    ),
]  # fmt: skip
_PARTS = ["Checkout", "Shipping", "Voucher", "Ledger", "Parcel", "Refund", "Warehouse"]
_KINDS = ["Address", "Method", "Export", "Queue"]


class Question(NamedTuple):
    """A question and the text of the memory that it asks for."""

    text: str
    memory: str


def memories_and_questions() -> tuple[list[str], list[Question]]:
    """Return 460 texts, and 170 questions."""
    texts, questions = [], []
    for index, language in enumerate(_LANGUAGES):
        written = [[_written(language, index, fact, name) for name in range(6)] for fact in range(6)]
        texts += [text for row in written for text in row]
        amounts = [_amount(index, name) for name in range(6)]
        first, fact, name = language.questions[0]
        questions += [Question(text, written[fact][name]) for text, fact, name in language.questions]
        questions += [
            Question(str(amounts[1]), written[0][1]),
            Question(_GROUPED(amounts[2]).replace(",", "'"), written[0][2]),
            Question(str(_invoice(index, 3)), written[1][3]),
            Question(f"inv 2026 {_invoice(index, 0)}", written[1][0]),
            Question(f"report-{_file(index, 4)}.pdf", written[3][4]),
            Question(unicodedata.normalize("NFD", first), written[fact][name]),
        ]
    classes = {
        (part, kind): f"The {part}{kind}Handler in {part}_{kind}.py raised HTTPTimeout."
        for part in _PARTS
        for kind in _KINDS
    }
    questions += [
        Question("shipping method handler", classes["Shipping", "Method"]),
        Question("voucher_export.py", classes["Voucher", "Export"]),
    ]
    return [*texts, *classes.values()], questions


def _amount(language: int, name: int) -> int:
    return 2000 + 13 * (6 * language + name)


def _invoice(language: int, name: int) -> int:
    return 4000 + 17 * (6 * language + name)


def _file(language: int, name: int) -> int:
    return 7000 + 19 * (6 * language + name)


def _written(language: Language, index: int, fact: int, name: int) -> str:
    return language.facts[fact].format(
        name=language.names[name],
        amount=_GROUPED(_amount(index, name)).translate(str.maketrans(_ASCII, language.digits)),
        invoice=f"INV-2026-{_invoice(index, name)}",
        file=_file(index, name),
    )
