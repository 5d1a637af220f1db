package ground

// Rule describes a rule that can be switched off by its name.
type Rule struct {
	Name    string // what Options.Off knows it by
	English bool   // it knows English only, and leaves other languages alone
	What    string // what it does, half a sentence for people
}

// repair is a rule that changes calls.
type repair struct {
	Rule
	apply func(j *judge, rule string)
}

// duplicates is the rule that others apply before they count what calls have.
const duplicates = "duplicates"

// repairs are the repairs in the order in which they are applied.
var repairs = []repair{
	{Rule{"name", false, "a full name is split over the fields for its halves; a missing half is filled from the request"}, splitNames},
	{Rule{"phone", false, "a telephone number that breaks off is completed, and written as in the request"}, completePhones},
	{Rule{"quoted", false, "what the request quotes is taken as it is quoted"}, restoreQuoted},
	{Rule{"casing", false, "the request's capitals are taken"}, restoreCasing},
	{Rule{"place", true, "a part of a place's name becomes all of it: Springfield, Illinois"}, widenPlaces},
	{Rule{"temperature", false, "a temperature is turned to the scale that the schema names"}, temperatures},
	{Rule{"empty", false, "optional strings that are empty are dropped, and mail addresses that are none"}, dropEmpty},
	{Rule{"ungrounded-optional", true, "an optional string of which the conversation has no word is dropped"}, dropUngrounded},
	{Rule{"route", true, "the ends of a way are those that the request names: from X to Y"}, repairRoute},
	{Rule{"snap-option", true, "an option that is not named becomes the one that is"}, snapOptions},
	{Rule{"date", true, "a date becomes the day that the request names: next Friday, March 4th, in three days; where the system text has today's date"}, repairDates},
	{Rule{"float", false, "a whole number where the schema has a number gets a fraction: 20.0"}, eachCall(wholeFloats)},
	{Rule{duplicates, false, "a call that is made twice is made once, unless the request wants it twice"}, dropDuplicates},
}

// gate is a rule that withholds or drops calls.
type gate struct {
	Rule
	// A strong gate withholds what a trigger has called too. One for users is about requests.
	strong, user bool
	apply        func(j *judge, rule string)
}

// gates are the gates in the order in which they are asked.
var gates = []gate{
	{Rule{"exclusion", true, "calls with a value that the request leaves out are dropped"}, true, true, dropExcluded},
	{Rule{"negation", true, "the request forbids what a tool does"}, true, true, forbidden},
	{Rule{"reported-speech", true, "the request tells what somebody else said"}, true, true, reported},
	{Rule{"unnamed-option", true, "a required enumeration none of whose options is named"}, false, true, unnamedOption},
	{Rule{"no-quantity", true, "a required number where nobody names a quantity"}, false, true, noQuantity},
	{Rule{"same-place", false, "origin and destination are one place, and one of them is required"}, false, true, samePlace},
	{Rule{"confidence", false, "the confidence is below 0.1"}, false, false, unsure},
}

// Repairs are the repairs in the order in which they are applied.
func Repairs() (list []Rule) {
	for _, r := range repairs {
		list = append(list, r.Rule)
	}
	return list
}

// Gates are the gates in the order in which they are asked, after the repairs.
func Gates() (list []Rule) {
	for _, g := range gates {
		list = append(list, g.Rule)
	}
	return list
}
