//! What the rules read out of sentences, and what they leave (I5: proposals alone).

use counterfoil_claims::Cardinality;
use counterfoil_claims::ports::{Change, ClaimProposal, Extractor, Passage};
use counterfoil_claims::time::Boundary;
use counterfoil_extract::{MAX_PROPOSALS, MAX_TEXT_BYTES, RuleExtractor};
use counterfoil_types::WorldId;
use proptest::prelude::*;

/// 2023-05-08, noon.
const SAID_AT_US: i64 = 1_683_547_200_000_000;

fn passage(speaker: Option<&str>, text: &str) -> Passage {
    Passage {
        world: WorldId::new("w").unwrap(),
        speaker: speaker.map(str::to_owned),
        text: text.to_owned(),
        said_at_us: SAID_AT_US,
    }
}

fn read(text: &str) -> Vec<ClaimProposal> {
    RuleExtractor::default()
        .extract(&passage(Some("Ada"), text))
        .unwrap()
}

/// `subject predicate value [from..until @confidence]`, one a proposal.
fn said(text: &str) -> Vec<String> {
    let proposals = read(text);
    proposals.iter().map(line).collect()
}

fn line(proposal: &ClaimProposal) -> String {
    let window = proposal.valid.map_or(String::new(), |valid| {
        let end = |end: Option<Boundary>| end.map_or(String::new(), |end| end.to_string());
        let (from, until) = (end(valid.from), end(valid.until));
        format!(" [{from}..{until} @{}]", valid.confidence.value())
    });
    let change = match proposal.change {
        Change::None => "",
        Change::Replaces => " replaces",
        Change::Ends => " ends",
    };
    format!(
        "{} {} {}{window}{change}",
        proposal.subject, proposal.predicate, proposal.value
    )
}

/// A sentence a line, and the proposals that are read from it.
const SENTENCES: &str = r#"
I live in Ghent. => Ada lives_in "Ghent"
Yeah, I'm currently living in New York City and love it. => Ada lives_in "New York City"
I moved to Porto in March 2021. => Ada lives_in "Porto" [2021-03.. @0.95] replaces
In March 2021, I moved to Porto! => Ada lives_in "Porto" [2021-03.. @0.95] replaces
I moved from Ghent to Porto last year. => Ada lives_in "Ghent" [..2022 @0.8] ends; Ada lives_in "Porto" [2022.. @0.8] replaces
We moved from Ghent to Porto. => Ada lives_in "Ghent" ends; Ada lives_in "Porto" replaces
I used to live in Rome. => Ada lives_in "Rome" ends
I no longer live in Rome. => Ada lives_in "Rome" ends
I quit my job. => Ada works_at null ends
I moved to Porto yesterday => Ada lives_in "Porto" [2023-05-07.. @0.8] replaces
I lived in Rome from 2018 to 2021. => Ada lives_in "Rome" [2018..2021 @0.95]
I lived in Rome until May 2020. => Ada lives_in "Rome" [..2020-05 @0.95]
I used to live in Rome until May 2020. => Ada lives_in "Rome" [..2020-05 @0.95] ends
I've been living in Rome since 2019. => Ada lives_in "Rome" [2019.. @0.95]
I've lived in Rome for five years now. => Ada lives_in "Rome" [2018.. @0.8]
I've lived in Rome for ages. => Ada lives_in "Rome"
I've lived in Rome since I was a child. => Ada lives_in "Rome"
I've lived in Rome since June. => Ada lives_in "Rome" [2022-06.. @0.8]
I live in Rome until Friday. => Ada lives_in "Rome" [..2023-05-12 @0.8]
I don't live in Rome any more. => Ada lives_in "Rome" ends
I don't work at Acme Corp anymore. => Ada works_at "Acme Corp" ends
Sadly, I lost my job at Acme Corp last month. => Ada works_at "Acme Corp" [..2023-04 @0.8] ends; Ada lost "job" [2023-04..2023-04 @0.8]
I used to be a teacher. => Ada occupation "teacher" ends
I started a new job at Acme Corp two weeks ago. => Ada works_at "Acme Corp" [2023-04-24.. @0.8] replaces
I stopped smoking in March. => Ada does "smoking" [..2023-03 @0.8] ends
We broke up last weekend. => Ada relationship_status "single" [2023-05-06.. @0.8] replaces
We got married last summer. => Ada relationship_status "married" [2022-06.. @0.8] replaces
I'm no longer single. => Ada relationship_status "single" ends
I switched from tea to coffee. => Ada uses "tea" ends; Ada uses "coffee" replaces
The supplier changes from Stowe Mill to Bryn Mill on 22 July. => supplier is "Stowe Mill" [..2023-07-22 @0.8] ends; supplier is "Bryn Mill" [2023-07-22.. @0.8] replaces
Tom moves from Ghent to Rome at the end of June. => Tom lives_in "Ghent" [..2023-06-30 @0.8] ends; Tom lives_in "Rome" [2023-06-30.. @0.8] replaces
The price is now £14,850. => price is "£14,850" replaces
I went to a pottery workshop last Friday. => Ada attended "pottery workshop" [2023-05-05..2023-05-05 @0.8]
I ran a charity race for the hospital last week. => Ada attended "charity race" [2023-05-01..2023-05-07 @0.8]
Next week I'm going to a book fair. => Ada plans "book fair" [2023-05-15..2023-05-21 @0.8]
I joined a running club three days ago. => Ada joined "running club" [2023-05-05..2023-05-05 @0.8]
Good news- I was diagnosed with asthma. => Ada has_condition "asthma"
I have a daughter. => Ada has_child "daughter"
We've got a dog and a cat. => Ada has_pet "dog"; Ada has_pet "cat"
I own a small bakery. => Ada owns "small bakery"
I'm passionate about dance and fashion. => Ada likes "dance"; Ada likes "fashion"
Painting is my passion. => Ada likes "painting"
I no longer live in Rome since 5 May 2023. => Ada lives_in "Rome" [..2023-05-05 @0.95] ends
My sister's name is Nora. => Ada sister "Nora"
My sister lives in the Hague. => Ada's sister lives_in "Hague"
I work at Acme Corp since May 2020. => Ada works_at "Acme Corp" [2020-05.. @0.95]
I work as an elementary school teacher. => Ada occupation "elementary school teacher"
I'm a nurse and I love it. => Ada occupation "nurse"
Tom is married to Eve. => Tom married_to "Eve"
I was born on 5 May 1990. => Ada born_on "1990-05-05"
I was born in Ghent => Ada born_in "Ghent"
I speak Dutch, French and a little English. => Ada speaks "Dutch"; Ada speaks "French"; Ada speaks "English"
My favorite color is blue. => Ada favourite_color "blue"
My favourite book is "Becoming Nicole". => Ada favourite_book "Becoming Nicole"
I have two kids. => Ada number_of_kids 2
I have a dog named Max. => Ada dog "Max"
We adopted a black cat called Miso in 2022. => Ada cat "Miso" [2022.. @0.95]
I've always loved old maps and brewing tea. => Ada likes "old maps"; Ada likes "brewing tea"
We enjoy hiking in the hills and feeding geese. => Ada likes "hiking"; Ada likes "feeding geese"
I stopped playing chess last month. => Ada plays "chess" [..2023-04 @0.8] ends
I don't play chess anymore. => Ada plays "chess" ends
I've started playing the cello. => Ada plays_instrument "cello"
Just learning the cello! => Ada learns "cello"
I'm hooked on crossword puzzles. => Ada likes "crossword puzzles"
I'm a huge opera fan. => Ada likes "opera"
Restoring clocks is one of my hobbies. => Ada likes "restoring clocks"
Sailing keeps me sane. => Ada likes "sailing"
I can't get enough of sea shanties. => Ada likes "sea shanties"
I built a kite and three lanterns yesterday. => Ada started "kite" [2023-05-07..2023-05-07 @0.8]; Ada started "three lanterns" [2023-05-07..2023-05-07 @0.8]
I'm building a wooden boat. => Ada works_on "wooden boat"
I took a weaving class last week. => Ada attended "weaving class" [2023-05-01..2023-05-07 @0.8]
I've been taking a weaving class. => Ada attends "weaving class"
I'm part of a brass band. => Ada joined "brass band"
Last weekend was lovely. I visited the old mill. => Ada visited "old mill" [2023-05-06..2023-05-07 @0.8]
We took a trip last week to Ghent. => Ada visited "Ghent" [2023-05-01..2023-05-07 @0.8]
We spent two weeks in Rome. => Ada visited "Rome"
I'm going to attend a wedding next month. => Ada plans "wedding" [2023-06..2023-06 @0.8]
I can't wait for the kite festival next month. => Ada plans "kite festival" [2023-06..2023-06 @0.8]
The harvest fair is tomorrow. => Ada plans "harvest fair" [2023-05-09..2023-05-09 @0.8]
I finished another quilt - want to see it? => Ada made "quilt"
I joined a rowing club, you know? => Ada joined "rowing club"
I went to Ghent and bought a lute. => Ada visited "Ghent"; Ada bought "lute"
My love of old maps never fades. => Ada likes "old maps"
I polished my silver trumpet, and my telescope too. => Ada owns "telescope"
My cat Miso sleeps. => Ada cat "Miso"
It is hard as a single mom. => Ada relationship_status "single"
Since I lost my job at Acme Corp, I write. => Ada works_at "Acme Corp" ends; Ada lost "job"
Changed: Tom starts at 05:00, not 04:30. => Tom starts_at "04:30" ends; Tom starts_at "05:00" replaces
The rent is £140, not £150. => rent is "£150" ends; rent is "£140" replaces
I sprained my ankle on Friday. => Ada injured "ankle" [2023-05-05..2023-05-05 @0.8]
My birthday is on the 5th of May. => Ada birthday "05-05"
I'm based in Ghent. => Ada lives_in "Ghent"
We moved out of Ghent last year. => Ada lives_in "Ghent" [..2022 @0.8] ends
I was promoted to head nurse. => Ada occupation "head nurse"
My sister became a nurse in 2020. => Ada's sister occupation "nurse" [2020.. @0.95]
I landed a new job as a nurse. => Ada occupation "nurse"
I signed with Acme Corp. => Ada works_at "Acme Corp" replaces
I joined Acme Corp last month. => Ada works_at "Acme Corp" [2023-04.. @0.8] replaces
Tom plays for Acme United. => Tom works_at "Acme United"
My dad retired last year. => Ada's dad works_at null [..2022 @0.8] ends; Ada's dad occupation "retired" [2022.. @0.8]
Anna left her job at Acme Corp. => Anna works_at "Acme Corp" ends
I work at a small bakery. => Ada works_at "bakery"
I was hired by Acme Corp. => Ada works_at "Acme Corp" replaces
Tom studies at Ghent University. => Tom studies_at "Ghent University"
I'm studying marine law. => Ada studies "marine law"
Tom was born in Ghent in 1990. => Tom born_on "1990"
Tom grew up in Ghent. => Tom grew_up_in "Ghent"
My brother is from Ghent. => Ada's brother comes_from "Ghent"
My name is Ada Weir. => Ada name "Ada Weir"
My sister is called Nora. => Ada sister "Nora"
I have a brother named Tom. => Ada brother "Tom"
My dog's name is Rex. => Ada dog "Rex"
My cat is called Miso. => Ada cat "Miso"; Ada has_pet "cat"
Eve married Tom in 2019. => Eve married_to "Tom" [2019.. @0.95] replaces
Eve got married to Tom. => Eve married_to "Tom" replaces
I broke up with my boyfriend. => Ada relationship_status "single" replaces
I'm engaged to Tom. => Ada engaged_to "Tom"
I'm getting married in June. => Ada relationship_status "married" [2023-06.. @0.8] replaces
My sister is fluent in Dutch. => Ada's sister speaks "Dutch"
Tom has asthma. => Tom has_condition "asthma"
My son is allergic to nuts. => Ada's son allergic_to "nuts"
Tom is vegan. => Tom diet "vegan"
Tom lives with his brother. => Tom lives_with "brother"
I can't stand cold tea. => Ada dislikes "cold tea"
I hate cold tea. => Ada dislikes "cold tea"
I don't like cold tea. => Ada dislikes "cold tea"
We run a small bakery. => Ada owns "small bakery"
I got back from Oslo yesterday. => Ada visited "Oslo" [2023-05-07..2023-05-07 @0.8]
I was in Oslo a few weeks ago. => Ada visited "Oslo" [2023-04-03..2023-04-30 @0.8]
I've travelled to Norway and Sweden. => Ada visited "Norway"; Ada visited "Sweden"
I'm here in Oslo. => Ada visited "Oslo"
When I was in Oslo, it rained. => Ada visited "Oslo"
This is a picture from my trip to Oslo. => Ada visited "Oslo"
We stayed in Oslo. => Ada visited "Oslo"
I had the chance to visit Oslo last month. => Ada visited "Oslo" [2023-04..2023-04 @0.8]
After losing my job, I rested. => Ada lost "job"
I love "Emma". => Ada likes "Emma"
Old maps are my favourite gift. => Ada favourite_gift "old maps"
Old maps are one of my favorites. => Ada likes "old maps"
My favorites are Emma and old maps. => Ada likes "Emma"; Ada likes "old maps"
I love the sea. => Ada likes "sea"
I like to collect old maps. => Ada collects "old maps"
I do love old maps. => Ada likes "old maps"
Sailing is a big part of my life. => Ada likes "sailing"
Sailing is a great way to unwind. => Ada likes "sailing"
My new hobby is archery. => Ada likes "archery"
I got into photography. => Ada likes "photography"
I've been practising the cello. => Ada does "practising the cello"
Our team won the cup. => Ada won "cup"
Our team won. => Ada won "game"
I scored 40 points last week. => Ada scored "40 points" [2023-05-01..2023-05-07 @0.8]
I passed the driving test. => Ada took_exam "driving test"
I graduated last week! => Ada education "graduated" [2023-05-01..2023-05-07 @0.8]
I've been promoted. => Ada promoted "yes"
My aunt died last week. => Ada lost "aunt" [2023-05-01..2023-05-07 @0.8]
My dog died. => Ada lost "dog"
My dad gave me a watch. => Ada owns "watch"
I have lots of old maps. => Ada owns "old maps"
I'm a member of the rowing club. => Ada joined "rowing club"
I help out at the shelter. => Ada volunteers_at "shelter"
I volunteered at a shelter last week. => Ada volunteers_at "shelter" [2023-05-01..2023-05-07 @0.8]
I decided to learn the cello. => Ada learns "cello"
I'm planning to visit Oslo next summer. => Ada plans "visit Oslo" [2023-06..2023-08 @0.8]
I hope to open a shop. => Ada plans "open a shop"
I'm thinking of opening a shop. => Ada plans "opening a shop"
I'm considering opening a shop. => Ada plans "opening a shop"
My goal is to open a shop. => Ada plans "open a shop"
We're getting ready for a fair. => Ada plans "fair"
We're organizing a fair. => Ada plans "fair"
I'm looking into buying a boat. => Ada plans "buying a boat"
We're having a fair next month. => Ada plans "fair" [2023-06..2023-06 @0.8]
Guess what - I got this puppy two weeks ago! => Ada has_pet "puppy" [2023-04-24.. @0.8]
I wanted to tell you- I took a weaving class. => Ada attended "weaving class"
I should sleep, but I started a podcast. => Ada started "podcast"
I tried surfing for the first time. => Ada tried "surfing"
Your quote for the Falcon oven is £14,850 plus VAT. => Falcon price "£14,850"
The Falcon invoice came. They want £16,320 plus VAT, not £14,850. => Falcon price "£14,850" ends; Falcon price "£16,320" replaces
The price of the rye loaf? It's £4.60 until the end of May, £4.80 from the first of June. => rye loaf price "£4.60" [..2023-05-31 @0.8]; rye loaf price "£4.80" [2023-06-01.. @0.8]
My landlord is Anna Weir. She asks £900 a month. => Anna Weir asks "£900"
Anna pays 900 a month. => Anna pays "900"
The rent was raised to £1,200. => rent is "£1,200" replaces
The tent costs £40. => tent price "£40"
Tom has moved the meeting again: not tomorrow, but Wednesday 26 July at nine. => meeting is "26 July" replaces
Tom postponed the interview to 4 June. => interview is "4 June" replaces
Tom wants to meet on Tuesday 18 July. => meeting is "18 July"
We open on Sundays and Mondays from 6 June. => Ada opens_on "Sundays and Mondays" [2023-06-06.. @0.8]
From the 15th we're closed. => Ada opens_on "closed" [2023-05-15.. @0.8]
I enjoy exploring new places. => Ada likes "exploring new places"
I know what you mean, I visited Oslo. => Ada visited "Oslo"
Moved to Ghent in 2021. => Ada lives_in "Ghent" [2021.. @0.95] replaces
I work with a local artist. => Ada works_with "local artist"
I've joined a choir, and I quit it. => Ada joined "choir"
I was in Oslo a couple of years ago. => Ada visited "Oslo" [2020..2021 @0.8]
I'm going to a wedding in August. => Ada plans "wedding" [2023-08..2023-08 @0.8]
I took part in nothing, but I ran a charity race last week. => Ada attended "charity race" [2023-05-01..2023-05-07 @0.8]
I did an interview last week. => Ada attended "interview" [2023-05-01..2023-05-07 @0.8]
I had my wedding last weekend. => Ada attended "wedding" [2023-05-06..2023-05-07 @0.8]
I was promoted. => Ada promoted "yes"
There's a fair next week. => Ada plans "fair" [2023-05-15..2023-05-21 @0.8]
I moved to Ghent on the 3rd. => Ada lives_in "Ghent" [2023-05-03.. @0.8] replaces
I lost my job as a baker. => Ada occupation "baker" ends; Ada lost "job"
I lost my job in March. => Ada works_at null [..2023-03 @0.8] ends; Ada lost "job" [2023-03..2023-03 @0.8]
The supplier changed from Stowe Mill to Bryn Mill. => supplier is "Stowe Mill" ends; supplier is "Bryn Mill" replaces
I study marine biology. => Ada studies "marine biology"
I just broke up with my boyfriend. => Ada relationship_status "single" replaces
I'm gluten intolerant. => Ada allergic_to "gluten"
I've got a shy cat. => Ada has_pet "cat"
I've only been to Oslo once. => Ada visited "Oslo"
I really enjoyed reading "Emma". => Ada read "Emma"
I acquired a new lute. => Ada bought "lute"
I applied to a flight school. => Ada applied_to "flight school"
I was accepted into a flight school. => Ada accepted_for "flight school"
We had to shut down our stall. => Ada closed "stall"
I took my kids to a puppet show yesterday. => Ada attended "puppet show" [2023-05-07..2023-05-07 @0.8]
I took my kids swimming yesterday. => Ada went "swimming" [2023-05-07..2023-05-07 @0.8]
We're planning a trip to the North Sea. => Ada plans "North Sea"
I'm hosting a lantern fair next month. => Ada plans "lantern fair" [2023-06..2023-06 @0.8]
Sailing's my favourite. => Ada likes "sailing"
I finished my diploma last year. => Ada graduated_from "diploma" [2022..2022 @0.8]
I got the internship! => Ada accepted_for "internship"
I love to bake bread. => Ada likes "bake bread"
I've always been a fan of sea shanties. => Ada likes "sea shanties"
I've always been into sea shanties. => Ada likes "sea shanties"
I have a real passion for sea shanties. => Ada likes "sea shanties"
I got into Ghent University. => Ada accepted_for "Ghent University"
I'm drawn to old lighthouses. => Ada likes "old lighthouses"
Sea shanties are my favorites. => Ada likes "sea shanties"
Sailing makes me happy. => Ada likes "sailing"
Sailing gives me a sense of peace. => Ada likes "sailing"
Sailing helps me unwind. => Ada likes "sailing"
I'm all about sea shanties. => Ada likes "sea shanties"
I do some yoga. => Ada does "yoga"
I've been doing some woodwork. => Ada does "woodwork"
I listen to sea shanties. => Ada likes "sea shanties"
I'm reading a book called "Emma". => Ada read "Emma"
I'm rereading "Emma". => Ada read "Emma"
I read Northanger Abbey again. => Ada read "Northanger Abbey"
I read lots of poetry. => Ada likes "poetry"
I went sailing last Friday. => Ada went "sailing" [2023-05-05..2023-05-05 @0.8]
I collect old maps. => Ada collects "old maps"
I'm working hard on a lute. => Ada works_on "lute"
I've been working on restoring clocks. => Ada works_on "restoring clocks"
I started working on a lute. => Ada works_on "lute"
I'm working on opening a shop. => Ada works_on "opening a shop"
I'm training for a rowing race. => Ada works_on "rowing race"
I'm learning to play the cello. => Ada learns "cello"
I'm learning knots. => Ada learns "knots"
I learned how to tie knots. => Ada learns "tie knots"
I started restoring clocks. => Ada does "restoring clocks"
I've been busy with the harvest. => Ada works_on "harvest"
I took up archery. => Ada does "archery"
I offer sailing lessons. => Ada offers "sailing lessons"
I wrapped up the quilt. => Ada made "quilt"
I coach rowers. => Ada mentors "rowers"
I picked up some new paddles. => Ada bought "paddles"
I enrolled in a knitting circle. => Ada joined "knitting circle"
I competed in a rowing race. => Ada attended "rowing race"
I have a recital coming up next week. => Ada plans "recital" [2023-05-15..2023-05-21 @0.8]
I'm excited about the lantern fair next month. => Ada plans "lantern fair" [2023-06..2023-06 @0.8]
I'm looking forward to the lantern fair next month. => Ada plans "lantern fair" [2023-06..2023-06 @0.8]
I'm heading to the coast next month. => Ada plans "coast" [2023-06..2023-06 @0.8]
I met up with old rowers yesterday. => Ada met "old rowers" [2023-05-07..2023-05-07 @0.8]
I watched a puppet show yesterday. => Ada watched "puppet show" [2023-05-07..2023-05-07 @0.8]
I signed a new deal with Acme Corp. => Ada works_at "Acme Corp" replaces
Sea shanties have always been a favorite of mine. => Ada likes "sea shanties"
I had a great time at the lantern fair last week. => Ada attended "lantern fair" [2023-05-01..2023-05-07 @0.8]
I won a rowing race. => Ada won "rowing race"
I saw the movie "Emma". => Ada watched "Emma"
We have a shy dog. => Ada has_pet "dog"
Sea shanties are my favorite. => Ada likes "sea shanties"
I received a medal. => Ada won "medal"
Tom signed with Acme Corp. => Tom works_at "Acme Corp" replaces
I won a medal. => Ada won "medal"
I graduated from flight school. => Ada graduated_from "flight school"
I lost my paddle. => Ada lost "paddle"
I whipped up a trifle. => Ada made "trifle"
I work in publishing. => Ada occupation "publishing"
I had a recital yesterday. => Ada attended "recital" [2023-05-07..2023-05-07 @0.8]
I'm sailing next month. => Ada plans "sailing" [2023-06..2023-06 @0.8]
My wife sails. => Ada relationship_status "married"
My cats sleep. => Ada has_pet "cat"
Been only to Oslo once. => Ada visited "Oslo"
My sister Anna, who works at Acme Corp, is a nurse. => Anna works_at "Acme Corp"; Ada sister "Anna"
My brother moved to Porto in March 2021. He works at Acme Corp. => Ada's brother lives_in "Porto" [2021-03.. @0.95] replaces; Ada's brother works_at "Acme Corp"
My sister Anna called, she's a nurse. => Anna occupation "nurse"; Ada sister "Anna"
Guess what, I got a puppy! => Ada has_pet "puppy"
I moved to Ghent on the 20th. => Ada lives_in "Ghent" [2023-04-20.. @0.8] replaces
I had to leave Acme Corp. => Ada works_at "Acme Corp" ends
I visited Oslo this week. => Ada visited "Oslo" [2023-05-08..2023-05-14 @0.8]
After leaving Acme Corp in 2020, I rested. => Ada works_at "Acme Corp" [..2020 @0.95] ends
My puppy is great- learning commands. => Ada has_pet "puppy"
Our landlord is Aldous Weir. He speaks Dutch. => Aldous Weir speaks "Dutch"
Tom is no longer a nurse. => Tom occupation "nurse" ends
I'm leaving Acme Corp at the end of June. => Ada works_at "Acme Corp" [..2023-06-30 @0.8] ends
I don't work at Acme Corp any more. => Ada works_at "Acme Corp" ends
Took a trip last week to Ghent. => Ada visited "Ghent" [2023-05-01..2023-05-07 @0.8]
"#;

/// Sentences about residence and its start, kin, work, traits and belongings.
#[test]
fn what_is_said_is_read_with_its_time() {
    for line in SENTENCES.trim().lines() {
        let (text, expected) = line.split_once(" => ").unwrap();
        assert_eq!(said(text).join("; "), expected, "{text}");
    }
}

/// Sentences that state nothing, one a line.
const UNSAID: &str = r#"
Do you live in Ghent?
I live in Ghent?
If I lived in Ghent, I would cycle.
If I live in Ghent I cycle.
I wish I lived in Ghent.
Maybe I live in Ghent.
I don't live in Ghent.
I do not speak French.
I never lived in Rome until 2019.
I'll move to Ghent in 2025.
I would have moved to Ghent in 2021.
I lived in Rome.
I have lived in Rome.
She said I live in Rome.
She said, "I live in Rome."
You live in Rome.
I live in a small flat.
I live in Ghent style houses.
I work for myself.
I'm a fan of it.
I'm a doctor fan.
I was born in the summer.
My favourite part is the end.
My favourite food is pizza and pasta.
My favourite thing is that it rains.
I have one dog.
I think I live in Ghent, but I might be wrong.
I moved to tears in 2021.
Everyone lives in Ghent.
I speak up, and loudly.
As a child I lived in Rome until 2019.
I moved to Rome last time.
I don't live in Rome, any more questions?
Tom moves from Ghent to Rome.
I went to a pottery workshop.
I have been thinking about it.
I had a blast last year.
I love your hat.
I love the colors of it.
I love watching them.
My sister moved away and started painting.
Enjoy the cake!
Starting a shop is hard.
I want to learn the cello.
I do not play chess.
I will build a boat.
I went to a market.
I made a mistake, and progress.
I'm looking for my own studio.
My dream house has a tower.
Have you built a boat?
I had a great time talking yesterday.
I've been reading this story.
He works at Acme Corp.
You'd be a great nurse.
After work she lives in dreams.
I'm leaving Acme Corp.
We're engaged in a dispute.
Life is the best teacher.
I'd love to open a shop.
My company is slow.
As I said, I live in Rome.
I hope to be there.
I never moved to Rome.
It's £4.60.
They want £5, not £6.
We're closed.
Sounds like a plan.
My goal is to create a safe, quiet place.
She said it, and Tom lives in Rome.
I don't live in Rome any more than you.
"#;

/// I5: what is asked, doubted, denied, wished, reported, quoted or over is not said.
#[test]
fn what_is_not_said_is_not_read() {
    for text in UNSAID.trim().lines() {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn who_speaks_is_the_subject_and_user_where_nobody_knows() {
    let text = "I live in Ghent.";
    for (speaker, subject) in [
        (None, "user"),
        (Some(" "), "user"),
        (Some("Zoë "), "Zoë"),
        (Some("a\u{7}"), "user"),
    ] {
        let proposals = RuleExtractor::default()
            .extract(&passage(speaker, text))
            .unwrap();
        assert_eq!(proposals[0].subject.as_str(), subject);
    }
}

#[test]
fn sets_are_proposed_as_sets() {
    let mut languages = read("I speak Dutch and French").into_iter();
    assert!(languages.all(|one| one.cardinality == Cardinality::Many));
    assert_eq!(read("I live in Ghent")[0].cardinality, Cardinality::One);
}

#[test]
fn a_window_that_ends_before_it_begins_is_proposed_as_it_was_said() {
    let proposed = read("I lived in Rome from 2021 to 2018.");
    assert!(proposed[0].valid.unwrap().is_incoherent());
}

#[test]
fn texts_and_proposals_have_their_limits() {
    let extractor = RuleExtractor::default();
    let long = "a".repeat(MAX_TEXT_BYTES + 1);
    assert!(extractor.extract(&passage(None, &long)).is_err());
    let mut many = String::new();
    for at in 0..1000 {
        let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
        let name = letter.to_string().repeat(at / 26 + 1);
        many.push_str("My dog is named Rex");
        many.push_str(&name);
        many.push_str(". ");
    }
    assert_eq!(
        extractor.extract(&passage(None, &many)).unwrap().len(),
        MAX_PROPOSALS
    );
}

proptest! {
    /// Whatever stands in a text: it is read without a fault, twice the same, within the limits, and with none twice.
    #[test]
    fn any_text_is_read_and_twice_the_same(
        words in prop::collection::vec(prop_oneof![
            "\\PC{0,8}",
            prop::sample::select(vec![
                "I", "live", "in", "Ghent", "since", "2019", ",", "until", "my", "dog", "named", "Max", "from", "to",
                "May", "speak", "Dutch", "and", "favourite", "book", "is", "\"x\"", "’", "was", "born", "on", "the", "5th",
            ]).prop_map(str::to_owned),
        ], 0..60),
    ) {
        let text = words.join(" ");
        let (first, again) = (read(&text), read(&text));
        prop_assert_eq!(&first, &again);
        prop_assert!(first.len() <= MAX_PROPOSALS);
        for (at, proposal) in first.iter().enumerate() {
            prop_assert!(!first[..at].contains(proposal));
        }
    }
}

/// A text without a full stop is one sentence, which may state any number of things and open any number of quotations: it
/// took a time that grew with the square of its length, minutes for the longest.
#[test]
fn the_longest_sentences_are_read_to_their_end() {
    let repeated = |part: &str| part.repeat(MAX_TEXT_BYTES / part.len());
    let towns = (0..MAX_TEXT_BYTES / 20).map(|number| format!("I live in X{number}ab, "));
    let mut texts = vec![towns.collect::<String>()];
    texts.extend(
        [
            "and I live in ",
            "I live in A, ",
            "from 2018 to ",
            "\"",
            "\u{201c}",
            "I speak Dutch, ",
            "i ",
            "Aa Bb ",
            "he lives in A, ",
            "not, but ",
            "the price of ",
            "rent ",
        ]
        .map(repeated),
    );
    for text in texts {
        assert!(read(&text).len() <= MAX_PROPOSALS, "{text:.20}");
    }
}

/// A proposal says where in the text it was read.
#[test]
fn a_proposal_has_its_place_in_the_text() {
    let text = "Well, é, I live in Ghent now. I speak Dutch.";
    let spans: Vec<&str> = read(text)
        .into_iter()
        .map(|proposal| &text[proposal.span.unwrap()])
        .collect();
    assert_eq!(spans, ["I live in Ghent", "I speak Dutch"]);
}

/// Question, answer, and what they say together.
const ANSWERS: &[(&str, &str, &str)] = &[
    ("Where do you live?", "In Porto.", r#"Ada lives_in "Porto""#),
    (
        "Nice! Where do you live now, Ada?",
        "Thanks, Bob! Porto.",
        r#"Ada lives_in "Porto""#,
    ),
    ("Where are you from?", "Ghent!", r#"Ada comes_from "Ghent""#),
    ("What do you do for a living?", "I'm fine. A nurse.", ""),
    (
        "What do you do for work?",
        "Nurse",
        r#"Ada occupation "nurse""#,
    ),
    (
        "What do you do for fun?",
        "Mostly sailing and old maps.",
        r#"Ada likes "sailing"; Ada likes "old maps""#,
    ),
    ("What do you like?", "Old maps, and you?", ""),
    (
        "What helps you relax?",
        "Old maps.",
        r#"Ada likes "Old maps""#,
    ),
    (
        "What instrument do you play?",
        "The cello.",
        r#"Ada plays_instrument "cello""#,
    ),
    (
        "What's your favourite color?",
        "Blue.",
        r#"Ada favourite_color "Blue""#,
    ),
    (
        "How long have you lived in Rome?",
        "Five years now.",
        r#"Ada lives_in "Rome" [2018.. @0.8]"#,
    ),
    ("Did you visit Rome?", "Yes!", r#"Ada visited "Rome""#),
    (
        "Do you play chess?",
        "Yeah, on Mondays.",
        r#"Ada plays "chess""#,
    ),
    ("Do you play chess?", "No.", ""),
    ("Do you play chess?", "Yes, but not any more.", ""),
    ("Do you play chess?", "Maybe, yes.", ""),
    (
        "Do you have any pets?",
        "Yes, a dog named Max.",
        r#"Ada dog "Max""#,
    ),
    ("Do you have any pets?", "Sounds great.", ""),
    (
        "Aw, two cats! What are their names?",
        "Miso and Taro.",
        r#"Ada cat "Miso"; Ada cat "Taro""#,
    ),
    ("I live in Ghent.", "In Porto.", ""),
    (
        "Any hotel in mind?",
        "The Grand Palace in Ghent.",
        r#"hotel is "Grand Palace" replaces"#,
    ),
    (
        "Shall I write the price of the rye loaf?",
        "Yes: £4.60 until the end of May.",
        r#"rye loaf price "£4.60" [..2023-05-31 @0.8]"#,
    ),
    (
        "My brother Tom called.",
        "He lives in Ghent, I know.",
        r#"Tom lives_in "Ghent""#,
    ),
];

/// An answer is read with its question.
#[test]
fn an_answer_is_read_with_its_question() {
    let answered = |asked: &str, text: &str| {
        let before = passage(Some("Bob"), asked);
        let read =
            RuleExtractor::default().extract_after(Some(&before), &passage(Some("Ada"), text));
        let read = read.unwrap();
        read.iter().map(line).collect::<Vec<_>>().join("; ")
    };
    for (asked, text, expected) in ANSWERS {
        assert_eq!(answered(asked, text), *expected, "{asked} {text}");
    }
    // Nobody answers a question of his own.
    let own = passage(Some("Ada"), "Where do you live?");
    let read =
        RuleExtractor::default().extract_after(Some(&own), &passage(Some("Ada"), "In Porto."));
    assert!(read.unwrap().is_empty());
}
