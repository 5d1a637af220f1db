package ground

import (
	"fmt"
	"testing"
)

func TestUngroundedOptional(t *testing.T) {
	const (
		artist = `"artist":{"type":"string"}`
		room   = `"room":{"type":"string"}`
		city   = `"city":{"type":"string"}`
	)
	checkRepairs(t, "ungrounded-optional", "play_music|Plays music of an artist, as Mozart", []repairCase{
		{"play some jazz for the guests", artist, `{"artist":"Miles Davis"}`, `{}`},
		{"what's the weather like", city, `{"city":"London"}`, `{}`},
		{"turn on the lamp", room, `{"room":"bedroom"}`, `{}`},
		{"set up the guest list", `"p":{"type":"object","properties":{"guest":{"type":"string"}}}`, `{"p":{"guest":"Alice Smith"}}`, `{"p":{}}`},
		{"call the dentist", `"contact_name":{"type":"string"}`, `{"contact_name":"John"}`, `{}`},
		{"please reach out to the office", `"email":{"type":"string"}`, `{"email":"john@example.com"}`, `{}`},
		{"play the new Miles Davis", artist, `{"artist":"Miles Davis"}`, ""},
		{"play something by davis please", artist, `{"artist":"Miles Davis"}`, ""},
		{"play the song of MILES", artist, `{"artist":"Miles Davis"}`, ""},
		{"turn on the bed room lamp", room, `{"room":"bedroom"}`, ""},
		{"the best woman tennis player", `"group":{"type":"string"}`, `{"group":"women"}`, ""},
		{"a Japanese restaurant for the two of us", `"where":{"type":"string"}`, `{"where":"Japan"}`, ""},
		{"the bus from LA", city, `{"city":"Los Angeles"}`, ""},
		{"the weather in NYC", city, `{"city":"New York"}`, ""},
		{"play some music please", artist, `{"artist":"Mozart"}`, ""},
		{"play some music please", `"artist":{"type":"string","description":"e.g. Queen"}`, `{"artist":"Queen"}`, ""},
		{"play some music please", `"artist":{"type":"string","default":"Queen"}`, `{"artist":"Queen"}`, ""},
		{"play some music please", `"artist":{"type":"string","examples":["Queen"]}`, `{"artist":"Queen"}`, ""},
		{"play some music please", `"artist":{"type":"string","enum":["Queen","Abba"]}`, `{"artist":"Queen"}`, ""},
		{"play some music please", artist + "!artist", `{"artist":"Queen"}`, ""},
		{"play some music please", `"artist_id":{"type":"string"}`, `{"artist_id":"Queen"}`, ""},
		{"play some music please", `"artist":{"type":"string","grounded":true}`, `{"artist":"Queen"}`, ""},
		{"play some music please", artist, `{"artist":"any"}`, ""},
		{"play some music please", artist, `{"artist":"Not specified"}`, ""},
		{"play some music please", artist, `{"artist":"U2"}`, ""},
		{"play some music please", artist, `{"artist":"ABBA"}`, ""},
		{"play some music please", `"artists":{"type":"array","items":{"type":"string"}}`, `{"artists":["Queen"]}`, ""},
		{"play some music please", `"on":{"type":"boolean"}`, `{"on":true}`, ""},
		{"play it in the evening", `"at":{"type":"string"}`, `{"at":"2024-05-01"}`, ""},
		{"play it in the evening", `"at":{"type":"string"}`, `{"at":"Monday"}`, ""},
		{"play it in the evening", `"due":{"type":"string","format":"date"}`, `{"due":"soonish"}`, ""},
		{"play it in the evening", `"zone":{"type":"string"}`, `{"zone":"Europe/Berlin"}`, ""},
		// Other languages.
		{"放一些爵士乐", artist, `{"artist":"Miles Davis"}`, ""},
		{"شغل بعض الموسيقى", artist, `{"artist":"Miles Davis"}`, ""},
		{"pon una canción en la cocina", room, `{"room":"kitchen"}`, ""},
		{"Mach das Licht in der Küche an", room, `{"room":"kitchen"}`, ""},
		{"pon The Wall en la cocina con mi lista", room, `{"room":"kitchen"}`, ""},
	})
}

func TestInferredKinds(t *testing.T) {
	for key, value := range map[string]string{
		"currency": "dollar", "country": "France", "language": "Danish", "units": "metric", "outputFormat": "plain text", "sort_order": "ascending",
		"gender": "female", "timezone": "Pacific", "message": "See you", "title": "Lunch", "sql_query": "pick all", "genre": "Comedy",
		"cuisine": "Italian", "state": "California", "file_path": "home", "priority": "urgent", "data_source": "yahoo finance", "category": "Sports",
		"notes": "Bring cake", "color": "red", "start_time": "early", "regex": "abc", "recipientId": "bob", "job_type": "cron",
	} {
		args := fmt.Sprintf(`{%q:%q}`, key, value)
		if got := repairWith(t, "ungrounded-optional", "tool", "please help me with the thing", fmt.Sprintf(`%q:{"type":"string"}`, key), args); got != args {
			t.Errorf("%s becomes %s", args, got)
		}
	}
}
