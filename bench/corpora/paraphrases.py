"""Questions in other words than their answers, beside messages that have the questions' words and no answer."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.corpora import Corpus, Question, message

NAME = "paraphrases"
NEEDS_PLACE = False
CATEGORY = "paraphrase"

#: Each in three lines: what was said; how somebody asks for it; what has the words of the question and no answer.
_TRIPLES = """
My physician told me to cut down on sodium.
What did the doctor advise about salt?
The doctor's advice column had a joke about salt mines.

We sold the old automobile for four thousand.
How much did they get for the car?
They could not get the car into the narrow garage.

Our youngster begins primary school in autumn.
When does the child start lessons?
The child left a lesson book on the start line.

The landlord is raising our monthly payment by ten percent.
Is the rent going up?
The elevator is going up and the rental bikes are outside.

I can't stand the noise from the apartment above.
What annoys her about the neighbours?
The neighbours are having an anniversary next week.

He handed in his notice at the bank on Friday.
Who quit their job?
The job of who paints the fence was a quiet one.

The physician's office moved the appointment to Tuesday.
Which day is the checkup now?
Check which day the updates are out now.

Grandma broke her hip after slipping on ice.
How was the old lady injured?
The old theatre showed My Fair Lady, how lovely.

They tied the knot in a tiny chapel by the sea.
Where was the wedding?
The wedding cake shop was where we met.

I became fluent after living two years in Lisbon.
How did she learn Portuguese?
Portuguese tiles are how she decorated the kitchen.

Her puppy passed away last winter.
What happened to the dog?
What happened in the film was that a dog drove a bus.

The firm let forty people go before Christmas.
How many employees were laid off?
Many employees laid out their plans off site.

We had to throw away everything in the freezer after the blackout.
Why was the food spoiled?
Why, the food at the festival was spiced, not plain.

My brother repairs clocks for a living.
What does his sibling do for work?
His work shows what siblings do in fairy tales.

The kids were scared stiff by the thunder.
What frightened the children?
The children painted what a frightening mask should be.

She runs a little shop that sells flowers.
What business does she own?
She has no business in her own words there.

I gave up cigarettes five years ago.
When did he stop smoking?
He likes smoked fish when they stop at the pier.

The flight got in three hours late because of fog.
Why was the plane delayed?
Why is the plain yoghurt delivery so early?

We turned the attic into a room for guests.
Where do visitors sleep?
Visitors to the zoo see where lions sleep.

Dad has trouble hearing on his left side.
Which ear is bad?
Which ear of corn went bad?

The mechanic says the brakes are worn out.
What is wrong with the vehicle?
What is wrong with a vehicle-free Sunday?

Mia got the top mark in mathematics.
Who did best in the exam?
Who will examine the best entries?

Their house was burgled while they were on holiday.
What did thieves do during the vacation?
During vacation we did a puzzle about thieves.

The soup was far too spicy for me.
Why didn't she eat the dish?
She didn't ask why the dish washer beeps; we eat at six.

He swims forty lengths each morning.
What exercise does he do every day?
Every exercise book does get a name, day one.

The painting fetched a record sum at auction.
Was the artwork expensive?
The artwork on the expense report was a doodle.

I inherited the farm from my uncle.
How did he come to own the land?
How did they come to land on their own so soon?

She is allergic to peanuts.
Which food must be avoided?
Which foods must we order for the party?

The meeting has been put off until next month.
Was the discussion postponed?
The discussion on post boxes was lively.

Our power bill doubled in January.
What became more costly in winter?
In winter it became more and more misty on the coast.

Leo proposed to Hannah on the ferry.
How did they get engaged?
They did get engaging answers from the class.

The baby finally slept through the night.
Did the infant rest well?
The rest of the infantry stories went well.

We are moving to the countryside to get away from traffic.
Why are they leaving the city?
They are leaving city maps in the hall.

The plumber fixed the dripping tap in ten minutes.
Who repaired the leaking faucet?
Who made the repair manual leak on the web?

I have been vegetarian since university.
Does she eat meat?
She does meet them to eat on Mondays.

The chef adds a pinch of cinnamon to the stew.
What is the secret ingredient?
What is the secret of a good password, he asked.

My passport runs out in June.
When does the travel document expire?
When does the document on travel writing appear?

The choir rehearses in the church hall on Thursdays.
Where do the singers practise?
Where do singers buy practical shoes?

Nina dyed her hair bright red.
How has her look changed?
Look how her change purse has a hole.

The bridge was closed because the river flooded.
Why couldn't people cross the water?
People drink water; why couldn't they cross the list off?
"""
TRIPLES = [tuple(lines.splitlines()) for lines in _TRIPLES.strip().split("\n\n")]


def read(place: Path | None) -> Corpus:
    """One message a day: the answers and, between them, those that only look like it."""
    said = [text for answer, _, decoy in TRIPLES for text in (answer, decoy)]
    # decoys stand far from the answers that they imitate, or they were lent their words
    order = sorted(range(len(said)), key=lambda number: (number % 2, number * 7 % len(said)))
    start = datetime(2026, 1, 5, 9, tzinfo=UTC)
    events = [
        message(
            f"p{number}",
            (start + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "Robin" if day % 2 else "Kim",
            said[number],
            f"day-{day}",
        )
        for day, number in enumerate(order)
    ]
    questions = [Question(text, frozenset({f"p{2 * number}"}), CATEGORY) for number, (_, text, _) in enumerate(TRIPLES)]
    return Corpus(NAME, "questions in other words, with decoys", events, questions)
