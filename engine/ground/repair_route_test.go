package ground

import "testing"

func TestRoutes(t *testing.T) {
	const (
		way    = `"origin":{"type":"string"},"destination":{"type":"string"}!destination`
		bare   = `"from":{"type":"string"},"to":{"type":"string"}`
		cities = `"from_city":{"type":"string"},"to_city":{"type":"string"}`
		ride   = `"pickup":{"type":"string"},"dropoff":{"type":"string"}`
	)
	checkRepairs(t, "route", "find_flights", []repairCase{
		{"fly from Paris to London", way, `{"origin":"London","destination":"Paris"}`, `{"origin":"Paris","destination":"London"}`},
		{"a flight to London from Paris", way, `{"origin":"London","destination":"Paris"}`, `{"origin":"Paris","destination":"London"}`},
		{"from Paris to London tomorrow", bare, `{"from":"London","to":"Paris"}`, `{"from":"Paris","to":"London"}`},
		{"from Portland, OR to Vancouver, BC for two", cities, `{"from_city":"Vancouver","to_city":"Portland, OR"}`, `{"from_city":"Portland, OR","to_city":"Vancouver"}`},
		{"from boston to new york on friday", cities, `{"from_city":"new york","to_city":"boston"}`, `{"from_city":"boston","to_city":"new york"}`},
		{"pick me up at the Hilton and drop me off at JFK Airport", ride, `{"pickup":"JFK Airport","dropoff":"Hilton"}`, `{"pickup":"Hilton","dropoff":"JFK Airport"}`},
		{"pick me up at 5 Main Street and drop me off at the station", ride, `{"dropoff":"station"}`, `{"dropoff":"station","pickup":"5 Main Street"}`},
		{"pick up at Central Park, drop off at Penn Station", ride, `{"pickup":"Central Park","dropoff":"Brooklyn"}`, `{"pickup":"Central Park","dropoff":"Penn Station"}`},
		{"a flight from Paris to London", way, `{"destination":"London"}`, `{"destination":"London","origin":"Paris"}`},
		{"a flight from Paris to London", way, `{"origin":"Berlin","destination":"London"}`, `{"origin":"Paris","destination":"London"}`},
		{"a flight from Paris to London", way, `{"origin":"Paris","destination":"Rome"}`, `{"origin":"Paris","destination":"London"}`},
		{"a trip from San Francisco to Los Angeles via Monterey", way, `{"destination":"Los Angeles, CA"}`, `{"destination":"Los Angeles, CA","origin":"San Francisco"}`},
		{"a flight from Paris to London", `"trip":{"type":"object","properties":{` + cities + `}}`, `{"trip":{"from_city":"London","to_city":"Paris"}}`, `{"trip":{"from_city":"Paris","to_city":"London"}}`},
		{"a flight from Paris to London", way, `{"origin":"Paris","destination":"London"}`, ""},
		{"a flight from Paris to London", way, `{"origin":"Rome","destination":"Berlin"}`, ""},
		{"from Paris to London and back from London to Paris", way, `{"origin":"London","destination":"Paris"}`, ""},
		{"from Paris to London, then from Rome to London", way, `{"destination":"London"}`, ""},
		{"the bus from LA to SD", cities, `{"from_city":"Los Angeles, CA","to_city":"SD"}`, ""},
		{"open from 5 to 7", way, `{"origin":"7","destination":"5"}`, ""},
		{"the flights from Monday to Friday", way, `{"origin":"Friday","destination":"Monday"}`, ""},
		{"the flights from May to June", way, `{"destination":"June"}`, ""},
		{"a flight to London", way, `{"destination":"London"}`, ""},
		{"the news from Paris", way, `{"destination":"London"}`, ""},
		{"I want to go from here to London", way, `{"destination":"London"}`, ""},
		{"a flight from here to London", way, `{"destination":"London"}`, ""},
		{"a flight from Paris to London", `"origin":{"type":"string","enum":["London","Paris"]},"destination":{"type":"string"}`, `{"origin":"London","destination":"Paris"}`, ""},
		{"a flight from Paris to London", `"destination":{"type":"string"}`, `{"destination":"London"}`, ""},
		{"a flight from Paris to London", `"origin":{"type":"number"},"destination":{"type":"string"}`, `{"destination":"London"}`, ""},
		{"a flight from Paris. I like to Skype", way, `{"destination":"Rome"}`, ""},
		{"a flight from Paris to London", `"start":{"type":"string"},"end":{"type":"string"}`, `{"start":"London","end":"Paris"}`, ""},
		{"a bus from Paris to London's airport", way, `{"origin":"Paris","destination":"Rome"}`, ""},
		{"a bus from Paris to King's Cross", way, `{"origin":"Paris","destination":"Rome"}`, `{"origin":"Paris","destination":"King's Cross"}`},
		{"a bus from 'Paris' to 'London'", way, `{"origin":"London","destination":"Paris"}`, `{"origin":"Paris","destination":"London"}`},
		// Other languages.
		{"un vuelo de París a Londres", way, `{"origin":"Londres","destination":"París"}`, ""},
		{"einen Flug von Paris nach London", way, `{"origin":"London","destination":"Paris"}`, ""},
		{"从北京到上海", way, `{"origin":"上海","destination":"北京"}`, ""},
		{"من القاهرة إلى دبي", way, `{"origin":"دبي","destination":"القاهرة"}`, ""},
	})
	checkRepairs(t, "route", "translate|Translates a text", []repairCase{
		{"translate it from English to French", bare, `{"from":"French","to":"English"}`, ""},
		{"translate it from Klingon to Elvish", bare, `{"from":"Elvish","to":"Klingon"}`, ""},
		{"translate it from Klingon to Elvish", bare, `{"to":"Elvish"}`, ""},
	})
	checkRepairs(t, "route", "send|Sends something", []repairCase{
		{"send it from Anna to Bob", bare, `{"to":"Bob"}`, ""},
		{"copy it from Alpha to Beta", `"source":{"type":"string"},"destination":{"type":"string"}`, `{"destination":"Beta"}`, ""},
	})
	checkRepairs(t, "route", "change|Exchanges a currency before a trip", []repairCase{
		{"change it from Zloty to Forint", bare, `{"to":"Forint"}`, ""},
	})
}
