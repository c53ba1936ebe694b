"""Long messages: weekly letters of eight people at a small museum, each of several topics, and questions about one of
them. The fact that answers stands within a paragraph, between paragraphs that others wrote about the same things."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import Corpus, Question, message

NAME = "long-messages"
NEEDS_PLACE = False
CATEGORY = "one fact in a long message"
PEOPLE = ("Amara", "Bastian", "Chiyo", "Dmitri", "Elif", "Farouk", "Greta", "Hugo")
THINGS = (
    "the harbour exhibition",
    "the map room",
    "the glass collection",
    "the school programme",
    "the archive",
    "the café",
)
_LETTERS = 48
_SEED = 13

#: Each: the paragraph with the fact, and in the last line the question.
_FACTS = """
The roofers were here twice. They found that the leak above the map room comes from a cracked skylight and not from
the gutter, so the insurance will pay for the pane but not for the plaster underneath it.
What was the source of the water coming into the map room?

I spoke with the lender of the blue vase. She wants it back before the first of September because her daughter is
getting married in the house where it used to stand, and she would like it on the table.
Why does the owner want the blue vase returned early?

About the lighting: after the test with the meter we agreed to keep the drawings under fifty lux. It is darker than
visitors like, but the conservator was very clear that the ink has faded since the last show.
How bright may the light on the drawings be?

The printer can no longer supply the thick cream paper for the catalogue. The replacement is a recycled stock from a
mill near Trondheim that costs a little less and takes colour better than I expected.
Where does the new catalogue paper come from?

We finally have somebody for the front desk on Sundays. Her name is Ottilie, she studied library science, and she can
begin right after Easter once her course at the university has ended.
Who will work at reception at the weekend?

For the audio guide we chose the actor with the northern accent. The children in the test group laughed at the other
recording, and two of them asked whether a robot was speaking.
Which voice was picked for the recorded tour, and how did pupils react to the alternative?

Please do not book the seminar room in the second half of May. The fire inspection takes place then, and the
inspectors want every door on that corridor open and unblocked for the whole day.
When can nobody use the seminar room?

The bank has lowered the fee for card payments from three percent to one and a half, which should save us about two
hundred a month, provided that people keep paying by card at the till.
What does the museum now pay the bank on card transactions?

The beekeeper will put two hives on the flat roof above the workshop. He says the lime trees along the canal are worth
the trouble, and he will give us a third of the honey to sell.
What animals are going to live on top of the building?

The donated ship's clock runs again. It needed only a new mainspring, which the watchmaker cut by hand, and since
Thursday it has lost less than a minute a day.
How was the marine timepiece repaired?

As for the school visits, we now limit groups to eighteen pupils. With twenty-five the guides could not be heard in
the engine hall, and three schools told us so independently.
What is the maximum size of a class that may come?

The climate logger in the archive showed a humidity of seventy percent during the storm. We moved the parish registers
to the upper floor until the dehumidifier arrives from the manufacturer.
Where were the church books taken when it got damp?

The city has approved the ramp at the side entrance. Building begins in the last week of October, and during those ten
days wheelchair users have to come through the delivery yard.
When does construction of the step-free access start?

Our volunteer of the year is Mr Novak. He has catalogued eleven hundred postcards since January, mostly in the
evenings, and he still insists that he is only here for the biscuits.
Who was honoured for unpaid work?

I learned why the model of the lighthouse tilts: a former caretaker dropped it in 1974 and glued the base with fish
glue, which has shrunk a little every winter.
What explains the crooked lighthouse model?

The insurance valuation of the silver trophy came back at nine thousand, twice what we had in the books, so it must
move to the locked case by the stairs.
How much is the silver cup worth?

The café has stopped selling sandwiches with egg after the power cut last month. The refrigerator was off for a night
and nobody could say with certainty how warm it had become.
Why is one kind of snack no longer offered?

We gave up the plan of opening on Monday evenings. In six weeks only forty people came, and the heating for those
hours cost more than the tickets brought in.
What became of the late opening at the start of the week?

The descendants of the captain wrote from Valparaíso. They own his logbook from the second voyage and offer a scan of
all four hundred pages if we send them our photographs of the crew.
What do the captain's relatives want in exchange for the scanned diary?

The sculpture in the courtyard needs wax twice a year. The foundry recommends a microcrystalline one, applied by hot
air on a dry day, and warns against the polish that we had been using.
How should the bronze outside be protected?

The new alarm company asked for a list of keys. There are fourteen for the back door, and five of them belong to
people who left the museum years ago, so the cylinder will be replaced.
Why is the lock at the rear being changed?

Our application to the lottery fund failed by one point. The reviewers liked the outreach but missed a plan for what
happens when the money runs out after three years.
What was lacking in the grant proposal?

A visitor recognised her grandfather in the photograph of the herring market. He is the boy with the bucket on the
left, his name was Anselm, and he later ran the chandlery.
Who is the child in the picture of the fish sale?

The lift is out of order until the middle of next week. A relay has burned out, and the only spare part in the country
was sent to a hospital in the capital first.
What broke in the elevator?

From now on the ticket for families covers two adults and any number of children. The old limit of three led to
arguments at the door with almost every larger family.
How many kids can come in on one family pass?

The sound in the submarine exhibit is now a recording from the hydrophone of the research station. It replaces the
film score, which the composer's heirs wanted to be paid for each quarter.
What do people hear in the underwater display, and why was it replaced?

The tapestry went into the freezer for a week at minus thirty to kill the moths. The textile laboratory has found no
living larvae since, but it stays in quarantine until spring.
How were the insects in the wall hanging treated?

We decided to number the new storage shelves by bay and level rather than by object type. The students found things in
half the time when we tried both with the spoons.
By what scheme are the depot racks labelled?

The mayor's office asked us to lend the globe for the summit in June. I agreed on condition that nobody turns it,
because the axis has a hairline crack near the pole.
Under what restriction may the globe be borrowed?

The gardeners removed the ivy from the north wall. It had reached the window frames of the library and lifted eleven
slates, two of which fell into the bicycle stand.
What damage did the climbing plant do?

The audit of our website says that the contrast of the grey buttons is too low. The designer will darken them, and the
opening hours will stand as text instead of a picture.
What will be altered on the internet pages for people with weak eyesight?

We found a forged stamp in the postal collection. The perforation has thirteen holes where there must be fourteen, and
the gum on the back is a modern synthetic.
How was the fake discovered?

I have asked the tailor to make the guides' jackets from a lighter wool. On the hot days in July two of our people
nearly fainted on the terrace during the long tour.
What was the reason for new staff clothing?

The ferry company gives our visitors a tenth off the crossing if they show their ticket on the same day. In return,
our leaflet is on all four boats from April to October.
What discount do museum guests get on the boat?

The old dumbwaiter behind the kitchen panel still works. The electrician says that the motor dates from 1931 and may
stay for show, but nothing heavier than a tray may ride in it.
What did the craftsman say about the small lift for dishes?

The storm took down the flagpole, which missed the hot-dog van by a metre. The shipyard will make a new one of larch,
because spruce rots too fast so near to the water.
Which wood will the mast in front of the house be made of?

The choir that sang at the opening would like to rehearse in the great hall all winter. I offered them Wednesdays from
seven to nine against two concerts for our members.
What do the singers give in return for using the hall?

The microfilm reader has been repaired with a lamp from a dentist's chair. It is brighter than the original, so please
switch it off after an hour or the film will curl.
What must one watch out for with the mended film viewer?

The research fellow from Ghent solved the riddle of the unlabelled crates. They hold the instruments of a weather
station on Spitsbergen that was abandoned in 1941.
What was in the mysterious boxes?

Ticket sales fell by a fifth in February, and it was not the weather: the number nine tram did not stop at our corner
for three weeks while they renewed the points.
What kept visitors away in late winter?
"""
FACTS = [(" ".join(lines[:-1]), lines[-1]) for lines in (block.splitlines() for block in _FACTS.strip().split("\n\n"))]

#: What every letter has between its facts; the names in braces differ from letter to letter.
_FILLERS = """
Before I forget, {one} asked me to remind everybody that the rota for {thing} hangs next to the copier again. Please
write legibly, cross out nothing without telling {two}, and remember that a swap counts only when both have signed. It
saves all of us a round of telephone calls on Friday afternoons.

The visit of the trustees went well. {one} showed them {thing} and {two} answered the difficult questions about money.
They stayed longer than planned, drank two pots of coffee, and one of them promised to come back with her
grandchildren at the weekend, though we shall see about that.

{one} has been tidying the shared drive and found three versions of the text for {thing}. If yours has the word draft
in its name, please look whether {two} has a newer one. Whatever nobody claims by the end of the month goes into a
folder called old, and from there to nowhere.

It has been a quiet week in the house. Some rain, two school classes, one lost umbrella that {one} returned to its
owner. {two} used the time to rearrange the shelf behind the desk, and I must admit that one finds the leaflets about
{thing} much faster now.

On Wednesday {one} and I went through the plan for {thing} once more. There are open points about the labels, the
height of the tables and who carries what, but nothing that could not be settled in an afternoon. {two} will send
round the minutes as soon as the computer lets her.

Many thanks to {one} for the cake. Thanks to {two} also for staying until eight when the delivery for {thing} was
late. I know that we say this every time, but it is only because of such evenings that this place looks so effortless
to those who come through the front door.

I have read the new guidelines from the ministry, all sixty pages, so that you need not. Most of it concerns museums
larger than ours. What touches {thing} is on page nineteen, and {one} has a copy with my notes in pencil. {two} thinks
that we meet nearly all of it already.

There was some confusion about the budget for {thing}. {one} had last year's table and {two} this year's, which
explains why they could not agree. I have put the right one on the notice board. The sum at the bottom is what counts,
and it leaves us a little room.

The newspaper came to take photographs of {thing}. {one} was charming, {two} hid in the store, and the dog of the
photographer ate half a sandwich. The article is to appear on a Saturday, they could not say which, so keep your eyes
open and cut it out for the file.

We are still looking for a home for the leftover chairs from {thing}. {one} would take four, {two} two for the
balcony. The others stand in the corridor, where they must not stay for reasons that the fire brigade explained to me
at length and with some drawings.

{one} has suggested a short meeting each Monday about {thing}, standing, ten minutes at the most. {two} is for it, I
am for it if there is coffee. Let me know what you think, also if you are against it, because I would rather hear that
now than see it in your faces later.

In the store {one} and {two} have begun to check the inventory against the cards. They started with {thing} and are at
the letter F. So far everything is where it should be or at least in the same room, which is better than anyone had
dared to hope after the move.

The telephone number on the poster for {thing} was wrong by one digit. A very patient gentleman has received our calls
since Tuesday. {one} has apologised and sent him two tickets, and {two} has a stack of stickers with the right number
that want to be glued on by somebody.

My holiday begins on the twelfth. {one} takes over the post, {two} the keys, and questions about {thing} can wait or
go to both of them. I shall have my telephone with me in the mountains, but I am told that it rings only on one
particular bench beside the chapel.
"""
FILLERS = [block.replace("\n", " ") for block in _FILLERS.strip().split("\n\n")]


def read(place: Path | None) -> Corpus:
    """Letters of five to seven paragraphs, made of the same seed every time; each of the facts stands in one."""
    chance = random.Random(_SEED)
    facts: list[list[int]] = [[] for _ in range(_LETTERS)]
    for number in range(len(FACTS)):
        facts[number * 11 % _LETTERS].append(number)
    start = datetime(2025, 9, 1, 17, tzinfo=UTC)
    events = []
    for letter, numbers in enumerate(facts):
        paragraphs = [_filled(filler, chance) for filler in chance.sample(FILLERS, chance.randint(4, 6))]
        for number in numbers:
            paragraphs.insert(chance.randint(1, len(paragraphs)), FACTS[number][0])
        ts = (start + timedelta(days=5 * letter)).strftime("%Y-%m-%dT%H:%M:%SZ")
        speaker = PEOPLE[letter % len(PEOPLE)]
        events.append(message(f"letter-{letter}", ts, speaker, "\n\n".join(paragraphs), "letters"))
    answers = {number: f"letter-{letter}" for letter, numbers in enumerate(facts) for number in numbers}
    questions = [Question(text, frozenset({answers[number]}), CATEGORY) for number, (_, text) in enumerate(FACTS)]
    return Corpus(NAME, "letters of about 350 words; a hit is the letter with the fact", events, questions)


def _filled(filler: str, chance: random.Random) -> str:
    one, two = chance.sample(PEOPLE, 2)
    return filler.format(one=one, two=two, thing=chance.choice(THINGS))
