package ground

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

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
		// Ways back, and trips that were made.
		{"a return flight for my trip from Bonn to Kiel", way, `{"origin":"Kiel","destination":"Bonn"}`, ""},
		{"last time I flew from Bonn to Kiel, book the way back", way, `{"origin":"Kiel","destination":"Bonn"}`, ""},
		{"I moved from Rome to Oslo. Book Oslo to Rome", way, `{"origin":"Oslo","destination":"Rome"}`, ""},
		{"The train from Lyon to Nice was late. Book me Nice to Lyon", way, `{"origin":"Nice","destination":"Lyon"}`, ""},
		{"My train from Lyon to Nice is late. Book me Nice to Lyon", way, `{"origin":"Nice","destination":"Lyon"}`, ""},
		{"After driving from Bern to Basel I take the train to Bern", way, `{"origin":"Basel","destination":"Bern"}`, ""},
		{"After driving from Bern to Basel I need a train, the opposite one", way, `{"origin":"Basel","destination":"Bern"}`, ""},
		{"I go from Bern to Basel, then to Bern", way, `{"origin":"Basel","destination":"Bern"}`, ""},
		{"We relocated from Rome to Oslo, get me a flight the other way", way, `{"origin":"Oslo","destination":"Rome"}`, ""},
		{"We strolled from Rome to Ostia, get me a bus", way, `{"origin":"Ostia","destination":"Rome"}`, ""},
		{"I go from Bonn to Kiel for work and need to get home", way, `{"origin":"Kiel","destination":"Bonn"}`, ""},
		{"not from Bonn to Kiel, the reverse", way, `{"origin":"Kiel","destination":"Bonn"}`, ""},
		{"I came from Rome to Oslo. Find a flight", way, `{"destination":"Oslo"}`, ""},
		{"I'm in Rome; find a flight from Oslo to Rome", way, `{"origin":"Rome","destination":"Oslo"}`, `{"origin":"Oslo","destination":"Rome"}`},
		{"I need to be picked up at Central Park and dropped off at Penn Station", ride, `{"pickup":"Penn Station","dropoff":"Central Park"}`, `{"pickup":"Central Park","dropoff":"Penn Station"}`},
		{"a ride from Boston to Boston Harbor", ride, `{"dropoff":"Boston"}`, ""},
		{"I wanted a flight from Paris to London", way, `{"origin":"London","destination":"Paris"}`, `{"origin":"Paris","destination":"London"}`},
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

// TestRouteAndPlaceTwice has random pairs of places, of which one may hold the other: repairing
// twice is repairing once.
func TestRouteAndPlaceTwice(t *testing.T) {
	places := strings.Split("York|New York|New York City|Boston|Boston Logan Airport|downtown Boston|Las Vegas|Las Vegas Airport|London|London Bridge|Paris, Texas|Paris|"+
		"Long Beach|the beach|Portland, OR|Portland|5 Main Street|Main Street, Springfield, Illinois|Springfield|Springfield, Illinois|boston|St. Louis|Louis|Rio de Janeiro|Rio|Logan|Airport", "|")
	forms := []string{"get me a ride from %s to %s", "a ride to %[2]s from %[1]s please", "find the way from %s to %s, Ohio", "pick me up at %s and drop me off at %s",
		"I like %[2]s. a ride from %[1]s to %[2]s", "a ride from the %s to my %s near %[1]s", "a ride from downtown %s to old %s", "from %s to %s, then from %[1]s to Rome for two"}
	schemas := []string{ridePlaces, `"from_city":{"type":"string"},"to_city":{"type":"string"}`, `"origin":{"type":"string"},"destination":{"type":"string"},"area":{"type":"string"}`}
	keys := [][2]string{{"pickup", "dropoff"}, {"from_city", "to_city"}, {"origin", "destination"}}
	r := rand.New(rand.NewSource(1))
	any := func() string { return places[r.Intn(len(places))] }
	for range 20_000 {
		x, y, k := any(), any(), r.Intn(len(keys))
		values := []string{x, y, any(), strings.ToLower(x), "Nowhere"}
		one, two := values[r.Intn(len(values))], values[r.Intn(len(values))]
		arguments := fmt.Sprintf(`{"%s":"%s","%s":"%s"}`, keys[k][0], one, keys[k][1], two)
		if n := r.Intn(4); n < 2 {
			arguments = fmt.Sprintf(`{"%s":"%s"}`, keys[k][n], one)
		}
		repairWith(t, "place route", "book_ride", fmt.Sprintf(forms[r.Intn(len(forms))], x, y), schemas[k], arguments)
	}
	got := repairWith(t, "place route", "book_ride", "get me a ride from New York to York", `"pickup_location":{"type":"string"},"dropoff_location":{"type":"string"}`, `{"pickup_location":"New York"}`)
	if want := `{"pickup_location":"New York","dropoff_location":"York"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
