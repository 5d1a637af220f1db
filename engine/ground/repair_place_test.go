package ground

import "testing"

const ridePlaces = `"pickup":{"type":"string"},"dropoff":{"type":"string"}`

// TestPlacesOfSeveralCalls has two calls with one value.
func TestPlacesOfSeveralCalls(t *testing.T) {
	tools := NewTools([]Tool{{Name: "f", Schema: []byte(`{"properties":{"location":{"type":"string"}}}`)}})
	call := Call{"f", parse(t, `{"location":"Georgia"}`)}
	turn := NewTurn("", []string{"the weather in Georgia, USA and Georgia, the country"}, true)
	for _, c := range tools.Judge(turn, []Call{call, call}, Options{Off: only("place"), Confidence: 1}).Calls {
		if got := text(c.Arguments); got != text(call.Arguments) {
			t.Errorf("%s", got)
		}
	}
}

func TestPlaces(t *testing.T) {
	const (
		location = `"location":{"type":"string"}`
		city     = `"city":{"type":"string","description":"The city"}`
		cityForm = `"city":{"type":"string","description":"As 'San Francisco, CA'"}`
		way      = `"origin":{"type":"string"},"destination":{"type":"string"}`
		address  = `"address":{"type":"string"}`
	)
	checkRepairs(t, "place", "get_weather", []repairCase{
		{"What's the weather in Springfield, Illinois?", location, `{"location":"Springfield"}`, `{"location":"Springfield, Illinois"}`},
		{"Weather for Springfield, Illinois please", location, `{"location":"springfield"}`, `{"location":"Springfield, Illinois"}`},
		{"is it cold in Portland, OR on Friday", location, `{"location":"Portland"}`, `{"location":"Portland, OR"}`},
		{"Send the parcel to 5 Elm St, Springville, IL 62701 today", address, `{"address":"Elm St"}`, `{"address":"5 Elm St, Springville, IL 62701"}`},
		{"find a pharmacy at 221 Main Street", location, `{"location":"Main Street"}`, `{"location":"221 Main Street"}`},
		{"what is near Madison Square Garden?", location, `{"location":"Madison Square"}`, `{"location":"Madison Square Garden"}`},
		{"show the way to the Museum of Modern Art", location, `{"location":"Modern Art"}`, `{"location":"Museum of Modern Art"}`},
		{"book a hotel in Rio de Janeiro for two", location, `{"location":"Rio"}`, `{"location":"Rio de Janeiro"}`},
		{"find sushi in St. Louis, Missouri.", location, `{"location":"Louis"}`, `{"location":"St. Louis, Missouri"}`},
		{"find sushi in New York City", city, `{"city":"York"}`, `{"city":"New York City"}`},
		{"find the gym at Heathrow Terminal 5 now", location, `{"location":"Heathrow"}`, `{"location":"Heathrow Terminal 5"}`},
		{"weather in Paris, Texas, USA", location, `{"location":"Paris"}`, `{"location":"Paris, Texas, USA"}`},
		{"what's the forecast for London, England on the 5th", city, `{"city":"London"}`, ""},
		{"what's the forecast for London, England on the 5th", cityForm, `{"city":"London"}`, `{"city":"London, England"}`},
		{"the weather in Springfield, Illinois", location, `{"location":"Springfield, Illinois"}`, ""},
		{"the weather in Springfield, Illinois", location + `,"state":{"type":"string"}`, `{"location":"Springfield","state":"Illinois"}`, ""},
		{"the weather in Boston, Chicago and Denver", location, `{"location":"Boston"}`, ""},
		{"the weather in Boston and San Francisco", location, `{"location":"Boston"}`, ""},
		{"a flight from Boston, Chicago, to Denver", way, `{"origin":"Boston","destination":"Chicago"}`, ""},
		{"find a flight from Paris to Berlin Monday", way, `{"origin":"Paris","destination":"Berlin"}`, ""},
		{"I'm in Boston, Anna is in Paris", location, `{"location":"Boston"}`, ""},
		{"what's on in Paris, Monday?", location, `{"location":"Paris"}`, ""},
		{"the weather in Paris, May 3", location, `{"location":"Paris"}`, ""},
		{"what's the weather in Boston, Siri?", location, `{"location":"Boston"}`, ""},
		{"Find Chicago hotels for me please", location, `{"location":"Chicago"}`, ""},
		{"find 5 Paris restaurants", location, `{"location":"Paris"}`, ""},
		{"find a room in Paris 3 nights", location, `{"location":"Paris"}`, ""},
		{"show me the Boston Celtics game", city, `{"city":"Boston"}`, ""},
		{"watch the Boston Celtics on tv", location, `{"location":"Boston"}`, ""},
		{"the weather in springfield, illinois", location, `{"location":"springfield"}`, ""},
		{"WHAT IS THE WEATHER LIKE IN PARIS MONDAY EVENING", location, `{"location":"PARIS"}`, ""},
		{"what's the weather in Parisian cafes, Texas", location, `{"location":"Paris"}`, ""},
		{"trains Boston - New York for me please", location, `{"location":"Boston"}`, ""},
		{"the weather in Springfield, Illinois, or in Springfield, Ohio", location, `{"location":"Springfield"}`, ""},
		{"call Ann in Springfield, Illinois please", `"name":{"type":"string"}`, `{"name":"Springfield"}`, ""},
		{"the weather in Springfield, Illinois", `"location":{"type":"string","enum":["Springfield"]}`, `{"location":"Springfield"}`, ""},
		{"mail the list to Main Street please", `"email_address":{"type":"string"}`, `{"email_address":"Street"}`, ""},
		{"the weather in Springfield, Illinois", `"trip":{"type":"object","properties":{"stops":{"type":"array","items":{"type":"object","properties":{"place":{"type":"string"}}}}}}`, `{"trip":{"stops":[{"place":"Springfield"}]}}`, `{"trip":{"stops":[{"place":"Springfield, Illinois"}]}}`},
		{"the weather in Nîmes-Étoile, Gard", location, `{"location":"Nîmes"}`, `{"location":"Nîmes-Étoile, Gard"}`},
		{"it is sold in 'Los Angeles' and the like", location, `{"location":"Angeles"}`, `{"location":"Los Angeles"}`},
		{"What Is The Weather In Paris Right Now", location, `{"location":"Paris"}`, ""},
		{"WHAT IS THE WEATHER IN PARIS, ANNA", location, `{"location":"PARIS"}`, ""},
		{"Is it cold? Sunny Paris is what I like", location, `{"location":"Paris"}`, ""},
		{"is it cold in Boston, OK?", location, `{"location":"Boston"}`, ""},
		{"is it warm in Portland, Oregon & what's on", location, `{"location":"Portland"}`, ""},
		// The value stands on its own too.
		{"what about the weather in York, not New York", location, `{"location":"York"}`, ""},
		{"the weather in New York, not York", location, `{"location":"York"}`, ""},
		{"weather in Jersey, not New Jersey", location, `{"location":"Jersey"}`, ""},
		{"weather in Mexico (the country, not Mexico City)", location, `{"location":"Mexico"}`, ""},
		{"I live in New York but what's the weather in York", location, `{"location":"York"}`, ""},
		{"My sister lives in Paris, Texas. What's the weather in Paris?", location, `{"location":"Paris"}`, ""},
		{"I'm from San Jose, Costa Rica but live in California (what's the weather in San Jose?)", location, `{"location":"San Jose"}`, ""},
		{"I'm flying to Oslo Airport, weather in Oslo please", location, `{"location":"Oslo"}`, ""},
		{"Weather in Cambridge please. I study at Cambridge University.", location, `{"location":"Cambridge"}`, ""},
		{"Is Lake Como warm? weather in Como please", location, `{"location":"Como"}`, ""},
		{"find hotels in Bath Spa area of Bath", `"area":{"type":"string"}`, `{"area":"Bath"}`, ""},
		{"hotels in Long Beach but near the beach", `"area":{"type":"string"}`, `{"area":"beach"}`, ""},
		{"show hotels in Long Beach", `"area":{"type":"string"}`, `{"area":"beach"}`, ""},
		{"show hotels in Long Beach", `"area":{"type":"string"}`, `{"area":"Beach"}`, ""},
		{"the weather in Georgia, USA and Georgia, the country", location, `{"location":"Georgia"}`, ""},
		{"is it warm in Victoria Falls or at Victoria Station?", location, `{"location":"Victoria"}`, ""},
		{"what is York's weather? I live in New York", location, `{"location":"York"}`, ""},
		{"what is Las Vegas’s weather? I am at Las Vegas Airport", location, `{"location":"Las Vegas"}`, ""},
		// What would be added is left out, or of another argument, or somebody.
		{"the weather in the old one and not in New York please", location, `{"location":"York"}`, ""},
		{"find the gym, anywhere except New York", location, `{"location":"York"}`, ""},
		{"don't look in Paris, Texas", location, `{"location":"Paris"}`, ""},
		{"show me the way from New York to the sea", way, `{"origin":"New York","destination":"York"}`, ""},
		{"get the weather in New York please", `"location":{"type":"string"},"area":{"type":"string"}`, `{"location":"york","area":"New York"}`, ""},
		{"weather in Charlotte, Ben", location, `{"location":"Charlotte"}`, ""},
		{"what's the weather in Charlotte, Ben please", location, `{"location":"Charlotte"}`, ""},
		{"what's the weather in Charlotte, Mary Ann?", location, `{"location":"Charlotte"}`, ""},
		{"what's the weather in Charlotte, BEN?", location, `{"location":"Charlotte"}`, ""},
		{"what's the weather in Charlotte, TJ?", location, `{"location":"Charlotte"}`, ""},
		{"what's the weather in Charlotte, Devon?", location, `{"location":"Charlotte"}`, ""},
		{"what's the weather in Charlotte, Jordan?", location, `{"location":"Charlotte"}`, ""},
		{"find the gym at 12 Main Street, Ben", location, `{"location":"Main Street"}`, `{"location":"12 Main Street"}`},
		{"send it to 5 Elm St, Springville, Ohio", address, `{"address":"Elm St"}`, `{"address":"5 Elm St, Springville, Ohio"}`},
		{"the weather in Raleigh, North Carolina for Ben", location, `{"location":"Raleigh"}`, `{"location":"Raleigh, North Carolina"}`},
		{"I was in Paris, Texas. Is it warm in Paris, Texas?", location, `{"location":"Paris"}`, `{"location":"Paris, Texas"}`},
		{"what's the weather in York, sorry, in New York", location, `{"location":"New York"}`, ""},
		// Other languages.
		{"¿Qué tiempo hace en Springfield, Illinois?", location, `{"location":"Springfield"}`, ""},
		{"Wie ist das Wetter in Springfield, Illinois?", location, `{"location":"Springfield"}`, ""},
		{"Suche in Berlin Hotels mit Frühstück", location, `{"location":"Berlin"}`, ""},
		{"北京天气怎么样", location, `{"location":"北京"}`, ""},
		{"ما هو الطقس في القاهرة، مصر", location, `{"location":"القاهرة"}`, ""},
		{"", location, `{"location":"Paris"}`, ""},
	})
	checkRepairs(t, "place", "search_maps", []repairCase{
		{"find coffee in Springfield, Illinois", `"query":{"type":"string"}`, `{"query":"coffee in Springfield"}`, `{"query":"coffee in Springfield, Illinois"}`},
		{"look up the Blue Bottle at 12 Oak Avenue", `"query":{"type":"string"}`, `{"query":"Oak Avenue"}`, `{"query":"12 Oak Avenue"}`},
	})
	checkRepairs(t, "place", "book_ride", []repairCase{
		{"ride to Boston from Boston Logan Airport", ridePlaces, `{"pickup":"Boston Logan Airport","dropoff":"Boston"}`, ""},
		{"ride from Las Vegas Airport to Las Vegas", ridePlaces, `{"pickup":"Las Vegas Airport","dropoff":"Las Vegas"}`, ""},
		{"ride from London Bridge to London", ridePlaces, `{"dropoff":"London"}`, ""},
		{"get me a ride from New York to York", ridePlaces, `{"pickup":"New York","dropoff":"York"}`, ""},
		{"a ride from Penn to the other Penn Station", ridePlaces, `{"pickup":"Penn"}`, ""},
		{"a ride from Oslo Airport to Oslo Harbor", ridePlaces, `{"pickup":"Oslo","dropoff":"Oslo Harbor"}`, ""},
		{"a ride to Boston Logan Airport please", ridePlaces, `{"dropoff":"Boston"}`, `{"dropoff":"Boston Logan Airport"}`},
	})
	checkRepairs(t, "place", "search_songs", []repairCase{
		{"find coffee in Springfield, Illinois", `"query":{"type":"string"}`, `{"query":"coffee in Springfield"}`, ""},
	})
}
