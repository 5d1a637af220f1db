package ground

import (
	"slices"
	"strings"
	"sync"
)

// irregularText has the forms of irregular verbs and nouns behind their base form.
const irregularText = `be am is are was were been|become became|begin began begun|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|
buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|do did done does|draw drew drawn|drink drank drunk|drive drove driven|
eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forget forgot forgotten|freeze froze frozen|get got gotten|
give gave given|go went gone goes|grind ground|grow grew grown|hang hung|have had has|hear heard|hide hid hidden|hold held|keep kept|know knew known|lay laid|
lead led|leave left|lend lent|lie lay lain|light lit|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|
say said|see saw seen|sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|
sleep slept|slide slid|speak spoke spoken|spend spent|spin spun|stand stood|steal stole stolen|stick stuck|strike struck|sweep swept|swim swam swum|swing swung|
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|wake woke woken|wear wore worn|weave wove woven|win won|wind wound|
write wrote written|man men|woman women|child children|foot feet|tooth teeth|mouse mice|person people|knife knives|leaf leaves|wife wives|life lives|half halves`

var irregularForms = sync.OnceValue(func() map[string]string {
	forms := map[string]string{}
	for _, group := range strings.Split(irregularText, "|") {
		list := strings.Fields(group)
		for _, form := range list[1:] {
			forms[form] = list[0]
		}
	}
	return forms
})

// alikeText has words that are commonly said for one another where one of few things is chosen.
const alikeText = `run jog sprint|bicycle bike cycle ride|walk hike stroll foot|drive car auto|transit bus train subway metro tube|fly flight plane air airplane|boat ship ferry sea|
do finish complete|cancel abort|delete remove erase|production live|staging stage preproduction test|development develop dev|checking current chequing|
credit visa mastercard amex card|professional pro|picture photo image pic|movie film|television tv telly|phone telephone mobile cell|telephone call|email mail|sms text|
couch sofa|cash money|fridge refrigerator|vegetarian veggie|vegan plant|lift elevator|garbage trash rubbish bin|fall autumn|window view|home house|work office|
doctor dr physician|apartment flat|purchase buy|sell sale|rent rental lease|restroom toilet bathroom washroom|gas petrol gasoline|holiday vacation|song track tune|
snooze later|temperature temp|administrator admin|document doc|repository repo|database db|application app|information info|reference ref|advertisement ad|
soccer football|sport game match|laundry washing|avenue ave|street st|kilometer km|kilogram kg|celsius centigrade`

// alikeGroups are the groups that the stem of each word is in.
var alikeGroups = sync.OnceValue(func() map[string][]int {
	groups := map[string][]int{}
	for i, group := range strings.Split(alikeText, "|") {
		for _, w := range strings.Fields(group) {
			groups[stem(w)] = append(groups[stem(w)], i)
		}
	}
	return groups
})

// meanAlike reports whether two stems are commonly said for one another.
func meanAlike(x, y string) bool {
	of := alikeGroups()[y]
	return slices.ContainsFunc(alikeGroups()[x], func(i int) bool { return slices.Contains(of, i) })
}
