"""Code and references: the log of a coding agent's work on a shop's services: code, commits, reviews, errors, tickets.

Identifiers stand in one style in the code and in another in some questions; several services have functions of nearly
the same name.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import Corpus, Question, message

NAME = "code-and-references"
NEEDS_PLACE = False

#: Of each piece of work: path, function, its ticket, the code, why it was changed, what the review said, the error.
_WORK = """
src/billing/invoice.py | computeInvoiceTotal | SHOP-101
def computeInvoiceTotal(lines, vatRate): return sum(l.net for l in lines) * (1 + vatRate)
Rounding happened per line, so totals were off by a cent; round once at the end.
Use Decimal here, a float loses cents above a million.
AssertionError: 19.990000000000002 != 19.99
Why were invoice totals wrong by a cent?

src/billing/refund.py | issueRefund | SHOP-114
def issueRefund(order, amount): ledger.post(order.id, -amount); notify(order.customer)
Refunds above the paid amount are refused now, because support paid one customer twice.
The notification must go out after the commit, not inside the transaction.
RefundExceedsPayment: order 8841 paid 40.00, refund 80.00
How do we stop paying back more than a customer spent?

src/auth/login.py | checkPassword | SHOP-97
def checkPassword(user, given): return argon2.verify(user.hash, given) and not user.locked
Lock the account for fifteen minutes after five failed attempts.
Compare in constant time, also for unknown users.
TooManyAttempts: account locked until 14:20
Where is the number of sign-in attempts limited?

src/auth/session_store.py | renewSessionToken | SHOP-99
def renewSessionToken(token): old = store.pop(token); return store.put(old.user, ttl=3600)
Tokens live for an hour instead of a day, after the laptop theft.
Popping before the put loses the session if the store is down.
SessionStoreUnavailable: connection refused by 10.0.3.7:6379
How long does a user stay signed in?

src/search/indexer.py | rebuildIndex | SHOP-130
def rebuildIndex(products): writer = open_writer(tmp); [writer.add(p) for p in products]; swap(tmp, live)
Build beside the live index and swap, so that search never sees half of the products.
What deletes the temporary folder if the swap fails?
DiskFull: no space left on /var/index/tmp while writing segment 12
How does product search stay complete while it is being built anew?

src/search/synonyms.py | expandQuery | SHOP-133
def expandQuery(words): return [s for w in words for s in [w, *SYNONYMS.get(w, [])]]
Synonyms are loaded from a file that the merchandising people edit.
Cap the expansion at 32 words, or one query takes the node down.
QueryTooLong: 4096 terms after expansion
Who maintains the list of words that mean the same?

src/cart/cart.py | mergeGuestCart | SHOP-88
def mergeGuestCart(guest, user): [user.add(i.sku, i.qty) for i in guest.items]; guest.clear()
What a visitor put in the basket before logging in is kept.
Quantities must not be added twice if the request is retried.
DuplicateMerge: guest cart 55aa was merged before
What happens to the basket of somebody who signs in later?

src/cart/discounts.py | applyCoupon | SHOP-142
def applyCoupon(cart, code): rule = rules[code]; cart.discount = max(rule.amount(cart), 0)
One coupon an order; the second replaced the first without a word.
Refuse an expired code with its date, people ask support about it.
CouponExpired: SUMMER24 ended on 2024-09-01
What if two vouchers are used in one purchase?

src/shipping/rates.py | quoteShipping | SHOP-151
def quoteShipping(parcel, country): return table[zone(country)].price(parcel.grams)
Switzerland moved to zone two, the carrier charges customs since May.
Grams, not kilograms: name the unit in the parameter.
UnknownZone: XK has no zone
Why did sending parcels to Switzerland get dearer?

src/shipping/labels.py | printLabel | SHOP-156
def printLabel(shipment): pdf = render(shipment); queue.send("printer-2", pdf)
Labels go to the printer by the packing table, the other one jams.
The printer's name belongs in the settings.
PrinterOffline: printer-2 did not answer in 30 s
Which device do the address stickers come out of?

src/catalog/importer.py | importProducts | SHOP-160
def importProducts(path): for row in csv.reader(open(path, encoding="cp1252")): upsert(row)
The supplier's file is in Windows encoding; umlauts were broken.
Close the file, and skip rows without a price rather than stop.
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfc in position 88
Why did German letters look garbled after the supplier's upload?

src/catalog/images.py | resizeImage | SHOP-163
def resizeImage(blob, width): image = Image.open(blob); image.thumbnail((width, width)); return image
Thumbnails are made once at upload, not on every page view.
Strip the location from the EXIF data, it shows photographers' homes.
DecompressionBombError: 24000 x 24000 pixels
What private information do pictures have to lose?

src/jobs/scheduler.py | runDueJobs | SHOP-170
def runDueJobs(now): for job in due(now): with lock(job): job.run()
Two schedulers ran the nightly report twice; each job takes a lock now.
The lock has to expire, or a crash stops the job for ever.
LockTimeout: nightly-report is held by worker-3
Why did the nightly report come two times?

src/jobs/mailer.py | sendDigest | SHOP-172
def sendDigest(user): if user.muted: return; smtp.send(user.email, render_digest(user))
People who muted mails got the weekly digest all the same.
Put List-Unsubscribe into the header, mail providers insist.
SMTPRecipientsRefused: mailbox unavailable
Who received messages although they had opted out?

src/api/rate_limit.py | takeFromBucket | SHOP-180
def takeFromBucket(key, cost): left = redis.decrby(key, cost); return left >= 0
A hundred requests a minute for a key; batch requests cost ten.
Set the expiry in the same call, a Lua script would do.
RateLimited: key sk_live exceeded 100 per minute
How many calls per minute may an API client make?

src/api/pagination.py | encodeCursor | SHOP-183
def encodeCursor(row): return base64(hmac(secret, row.id) + row.id)
Cursors are signed, because a partner counted our orders by changing them.
Include the sort order in the signed part.
BadCursor: signature does not match
How did an outsider find out how many orders we have?

src/storage/backup.py | uploadSnapshot | SHOP-190
def uploadSnapshot(path): bucket.put(path, encrypt(path, key)); bucket.retain(path, days=35)
Backups are kept for thirty-five days; the restore test on Friday needed one of day thirty-one.
Verify the checksum after the upload.
ChecksumMismatch: snapshot-0418 differs from its manifest
For how long are copies of the database stored?

src/storage/migrate.py | addColumnOnline | SHOP-195
def addColumnOnline(table, column): execute(f"SET lock_timeout = '2s'; ALTER TABLE {table} ADD {column}")
The migration waits two seconds for its lock and then gives up, so that it never queues the whole shop behind it.
Retry with a pause, and log which query held the lock.
LockNotAvailable: canceling statement due to lock timeout
How do schema changes avoid blocking customers?

src/metrics/histogram.py | observeLatency | SHOP-201
def observeLatency(route, seconds): buckets[route][bisect(EDGES, seconds)] += 1
Label by route and not by address, the number of series had exploded.
Edges must be sorted, assert that at import.
CardinalityLimit: 50000 series for http_latency
Why did monitoring have too many time series?

src/metrics/alerts.py | shouldPage | SHOP-204
def shouldPage(errors, total): return total > 100 and errors / total > 0.02
Nobody is woken for two errors of three requests at night any more.
Use a window of five minutes.
AlertStorm: 412 pages in one hour
When does the on-call engineer get called?
"""
#: Pieces of work whose question the review answers, rather than the commit.
_ANSWERED_BY_REVIEW = frozenset({11})
_REFERENCE, _IDENTIFIER, _TICKET, _WORDS = "path", "identifier in another style", "ticket", "in words"


def read(place: Path | None) -> Corpus:
    """Five messages about each piece of work, a session each; four questions, one of each category."""
    start = datetime(2026, 2, 2, 8, tzinfo=UTC)
    events, questions = [], []
    for number, block in enumerate(_WORK.strip().split("\n\n")):
        head, code, why, review, error, question = block.splitlines()
        path, function, ticket = (part.strip() for part in head.split("|"))
        module = path.rpartition("/")[2].removesuffix(".py")
        # the error is met in the test and the review says where, so that neither repeats the name of the function
        said = {
            "code": ("coder", f"{path}\n```python\n{code}\n```", [path]),
            "why": ("coder", f"{ticket}: {why}", [ticket]),
            "review": ("reviewer", f"{path}:{12 + number}: {review}", [path]),
            "error": ("ci", f"tests/test_{module}.py failed.\n{error}", []),
            "done": ("coder", f"Merged the branch for {ticket} and told the team.", [ticket]),
        }
        for minute, (what, (speaker, text, refs)) in enumerate(said.items()):
            ts = (start + timedelta(days=number, minutes=7 * minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
            events.append(message(f"{what}-{number}", ts, speaker, text, f"work-{number}", refs=refs))
        questions += [
            Question(f"What did the review of {path} ask for?", frozenset({f"review-{number}"}), _REFERENCE),
            Question(f"Where is {_snake(function)} defined?", frozenset({f"code-{number}"}), _IDENTIFIER),
            Question(f"What was {ticket} about?", frozenset({f"why-{number}"}), _TICKET),
            Question(question, frozenset({f"{'review' if number in _ANSWERED_BY_REVIEW else 'why'}-{number}"}), _WORDS),
        ]
    return Corpus(NAME, "a coding agent's log; a hit is the message that tells it", events, questions)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
