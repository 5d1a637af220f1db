package ground

import "testing"

const nameSchema = `{"type":"object","properties":{"first_name":{"type":"string"},"last_name":{"type":"string"},"city":{"type":"string"},
	"guests":{"type":"array","items":{"type":"object","properties":{"given":{"type":"string"},"surname":{"type":"string"}}}},
	"billing_first_name":{"type":"string"},"billing_last_name":{"type":"string"}},"required":["last_name","billing_last_name"]}`

var nameCases = []argumentCase{
	// The whole name in one half.
	{"Register Ada Lovelace", `{"first_name":"Ada Lovelace","last_name":"Lovelace"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register Ada Lovelace", `{"first_name":"Ada Lovelace"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register Ada Lovelace", `{"first_name":"Ada Lovelace","last_name":""}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register Ada Lovelace", `{"first_name":"Ada","last_name":"Ada Lovelace"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register Ada Lovelace", `{"last_name":"Ada Lovelace"}`, `{"last_name":"Lovelace","first_name":"Ada"}`},
	{"Register Ada Lovelace", `{"first_name":"Ada Lovelace","last_name":"Ada Lovelace"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register Ada Lovelace", `{"first_name":"ada lovelace","last_name":null}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register ada lovelace", `{"first_name":"Ada Lovelace"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"Register Ada Lovelace", `{"first_name":"Ada Lovelace","last_name":"Smithers"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"add Kim Lee and Bob Dole", `{"guests":[{"given":"Kim Lee","surname":"Lee"},{"given":"Bob","surname":"Bob Dole"}]}`,
		`{"guests":[{"given":"Kim","surname":"Lee"},{"given":"Bob","surname":"Dole"}]}`},
	{"bill it to Ada Lovelace", `{"billing_first_name":"Ada Lovelace"}`, `{"billing_first_name":"Ada","billing_last_name":"Lovelace"}`},
	// Particles, double first names, initials.
	{"a room for Vincent van Gogh", `{"first_name":"Vincent van Gogh"}`, `{"first_name":"Vincent","last_name":"van Gogh"}`},
	{"a room for Rafael van der Vaart", `{"first_name":"Rafael van der Vaart","last_name":"Vaart"}`, `{"first_name":"Rafael","last_name":"van der Vaart"}`},
	{"a room for Maria de la Cruz", `{"last_name":"Maria de la Cruz"}`, `{"last_name":"de la Cruz","first_name":"Maria"}`},
	{"a room for Mary Ann Smith", `{"first_name":"Mary Ann Smith"}`, `{"first_name":"Mary Ann","last_name":"Smith"}`},
	{"a room for Mary Ann Smith", `{"first_name":"Mary Ann"}`, `{"first_name":"Mary Ann","last_name":"Smith"}`},
	{"a room for Jean-Luc Picard", `{"first_name":"Jean-Luc Picard"}`, `{"first_name":"Jean-Luc","last_name":"Picard"}`},
	{"a room for John F. Kennedy", `{"first_name":"John F. Kennedy"}`, `{"first_name":"John F.","last_name":"Kennedy"}`},
	{"a room for Ada King Lovelace", `{"first_name":"Ada King Lovelace","last_name":"Lovelace"}`, `{"first_name":"Ada King","last_name":"Lovelace"}`},
	{"a room for Martin King Jr.", `{"first_name":"Martin King Jr."}`, `{"first_name":"Martin","last_name":"King Jr."}`},
	{"a room for Al Pacino", `{"first_name":"Al Pacino"}`, `{"first_name":"Al","last_name":"Pacino"}`},
	// Titles.
	{"book Dr. Ada Lovelace", `{"first_name":"Dr. Ada","last_name":"Lovelace"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"book Mr John Smith", `{"first_name":"Mr John Smith","last_name":"Smith"}`, `{"first_name":"John","last_name":"Smith"}`},
	{"book Mr. Smith", `{"first_name":"Mr.","last_name":"Smith"}`, ``},
	{"book Mr. Smith", `{"first_name":"Mr. Smith","last_name":"Smith"}`, ``},
	{"book Mr. Smith", `{"first_name":"Mr. Smith"}`, ``},
	// A half from beside the other.
	{"book a table for Ada Lovelace at 7", `{"first_name":"Ada","last_name":""}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"book a table for Ada Lovelace at 7", `{"first_name":"Ada","last_name":"Smithers"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"book a table for Ada Lovelace at 7", `{"last_name":"Lovelace"}`, `{"last_name":"Lovelace","first_name":"Ada"}`},
	{"use Ada Lovelace's room for this", `{"first_name":"Ada"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
	{"a table for Ludwig van Beethoven", `{"first_name":"Ludwig"}`, `{"first_name":"Ludwig","last_name":"van Beethoven"}`},
	// What is not clear stays.
	{"a table for Ada please", `{"first_name":"Ada"}`, ``},
	{"tell Ada I'm late for the show", `{"first_name":"Ada"}`, ``},
	{"meet with Ada Monday", `{"first_name":"Ada"}`, ``},
	{"a table for Ada, Paris is nice", `{"first_name":"Ada"}`, ``},
	{"fly Ada Paris please", `{"first_name":"Ada","city":"Paris"}`, ``},
	{"Call Lovelace for the keys", `{"last_name":"Lovelace"}`, ``},
	{"a table for Doctor Lovelace", `{"last_name":"Lovelace"}`, ``},
	{"a table for Ada Lovelace and for Ada Byron", `{"first_name":"Ada"}`, ``},
	{"a table for Mary Jane Watson", `{"first_name":"Mary"}`, ``},
	{"BOOK A TABLE FOR ADA NOW", `{"first_name":"ADA"}`, ``},
	{"FOR THE ROOM: ADA LOVELACE", `{"first_name":"ADA"}`, ``},
	{"a room for Gabriel García Márquez", `{"first_name":"Gabriel García Márquez"}`, ``},
	{"a room for Mary Ann", `{"first_name":"Mary Ann"}`, ``},
	{"a room for van Gogh", `{"last_name":"van Gogh"}`, ``},
	{"a room for Madonna", `{"first_name":"Madonna"}`, ``},
	{"a room for my wife", `{"first_name":"my wife"}`, ``},
	{"a room for Ada and Bob", `{"first_name":"Ada and Bob"}`, ``},
	{"first name is Ann Lee, last name Lee", `{"first_name":"Ann Lee","last_name":"Lee"}`, ``},
	{"last name: Garcia Lopez", `{"last_name":"Garcia Lopez"}`, ``},
	{"a room for me", `{"first_name":"Ada Lovelace"}`, ``},
	{"a room for Ada Lovelace", `{"first_name":"Ada","last_name":"Lovelace"}`, ``},
	{"a room for Lovelace", `{"first_name":"Lovelace","last_name":"Lovelace"}`, ``},
	{"a room for Ann Lee Lee", `{"first_name":"Ann Lee","last_name":"Lee"}`, ``},
	// Double first names, and words that are no names.
	{"Add Anne Marie, her sister Claire Dupont works there too", `{"first_name":"Anne Marie"}`, ``},
	{"Add Anne Marie, her sister Claire Dupont works there too", `{"first_name":"Anne Marie","last_name":""}`, ``},
	{"Add Anne Marie, her sister Claire Dupont works there too", `{"first_name":"Anne"}`, ``},
	{"add Jo Ann (she's Ann's sister)", `{"first_name":"Jo Ann"}`, ``},
	{"add Jo Ann (she's Ann's sister)", `{"first_name":"Jo Ann","last_name":"Jo Ann"}`, ``},
	{"add Jo Ann (she's Ann's sister)", `{"first_name":"Jo"}`, ``},
	{"add Jo Robin (she's Robin's sister)", `{"first_name":"Jo Robin"}`, ``},
	{"add Jo Ann Smith to the list", `{"first_name":"Jo Ann"}`, `{"first_name":"Jo Ann","last_name":"Smith"}`},
	{"Book Ada Economy class for me", `{"first_name":"Ada"}`, ``},
	{"Book Ada Economy class for me", `{"first_name":"Ada Economy"}`, ``},
	{"get Ada Tylenol please", `{"first_name":"Ada"}`, ``},
	{"add Ada Sushi rolls to the order", `{"first_name":"Ada"}`, ``},
	{"register Ada Premium for a year", `{"first_name":"Ada"}`, ``},
	{"register Ada Rome is the town", `{"first_name":"Ada","city":"Rome, Italy"}`, ``},
	// Other languages: capitals beside a name are no names.
	{"Buche Zimmer für Kunde Müller Montag", `{"last_name":"Müller"}`, ``},
	{"Bitte Tisch für Ada Morgen", `{"first_name":"Ada"}`, ``},
	{"una mesa para Ada Lovelace", `{"first_name":"Ada"}`, ``},
	{"给王小明订一个房间", `{"first_name":"王小明","last_name":"王"}`, ``},
	{"احجز غرفة باسم محمد علي", `{"first_name":"محمد علي"}`, ``},
	{"una mesa para Ana García", `{"first_name":"Ana García","last_name":"García"}`, `{"first_name":"Ana","last_name":"García"}`},
}

func TestNamesAreSplit(t *testing.T) { checkArguments(t, "name", nameSchema, nameCases) }

func TestKeysOfNames(t *testing.T) {
	for key, want := range map[string]struct {
		whose string
		half  int
	}{
		"first_name": {"", firstHalf}, "firstName": {"", firstHalf}, "first": {"", firstHalf}, "given_name": {"", firstHalf}, "forename": {"", firstHalf},
		"last_name": {"", lastHalf}, "surname": {"", lastHalf}, "family": {"", lastHalf}, "guestLastName": {"guest", lastHalf},
		"first_name_of_guest": {"of guest", firstHalf}, "first_class": {"", 0}, "last_updated": {"", 0}, "name": {"", 0}, "first_and_last_name": {"", 0},
	} {
		if whose, half := nameHalf(key); whose != want.whose || half != want.half {
			t.Errorf("%s: %q %d, expected %q %d", key, whose, half, want.whose, want.half)
		}
	}
}

// TestNamesWithoutPlace has schemas that leave no place for the other half, or fix it.
func TestNamesWithoutPlace(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"first_name":{"type":"string"}}}`,
		`{"properties":{"first_name":{"type":"string"},"last_name":{"enum":["Lovelace"]}}}`,
		`{"properties":{"first_name":{"type":"string","grounded":true},"last_name":{"type":"string"}}}`,
		`{"properties":{"first_name":{"type":"string"},"last_name":{"type":"integer"}}}`,
		`{"properties":{"first_name":{"type":"string"},"last_name":{"type":"string"},"surname":{"type":"string"}}}`,
	} {
		checkArguments(t, "name", schema, []argumentCase{{"Register Ada Lovelace", `{"first_name":"Ada Lovelace"}`, ``}})
	}
}

// TestLastNamesThatNeedNotBe has a last name that may be missing: two words stay together then.
func TestLastNamesThatNeedNotBe(t *testing.T) {
	checkArguments(t, "name", `{"properties":{"first_name":{"type":"string"},"last_name":{"type":"string"},"class":{"enum":["sleeper","couchette"]}}}`, []argumentCase{
		{"Register Ada Lovelace", `{"first_name":"Ada Lovelace"}`, ``},
		{"Register Ada Lovelace", `{"first_name":"Ada Lovelace","last_name":""}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
		{"Register Ada Lovelace", `{"first_name":"Ada Lovelace","last_name":null}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
		{"Add Anne Marie, her sister Claire Dupont works there too", `{"first_name":"Anne Marie"}`, ``},
		{"add Jo Ann (she's Ann's sister)", `{"first_name":"Jo Ann"}`, ``},
		{"add Kim Robin to the list", `{"first_name":"Kim Robin"}`, ``},
		{"a room for Vincent van Gogh", `{"first_name":"Vincent van Gogh"}`, `{"first_name":"Vincent","last_name":"van Gogh"}`},
		{"register Ada Lovelace for the show", `{"first_name":"Ada"}`, `{"first_name":"Ada","last_name":"Lovelace"}`},
		{"put Ada Sleeper in the list", `{"first_name":"Ada"}`, ``},
		{"añade a Ana García", `{"first_name":"Ana García"}`, ``},
		{"Trage Anna Müller ein", `{"first_name":"Anna Müller"}`, ``},
		{"أضف محمد علي", `{"first_name":"محمد علي"}`, ``},
		{"添加 Ada Lovelace", `{"first_name":"Ada Lovelace"}`, ``},
	})
}

func TestNoSurnames(t *testing.T) {
	const contact = `"first_name":{"type":"string"},"last_name":{"type":"string"},"phone":{"type":"string"}!first_name`
	checkRepairs(t, "name", "create_contact", []repairCase{
		{"create a contact called Bob Mobile 555-0100", contact, `{"first_name":"Bob","phone":"555-0100"}`, ""},
		{"create a contact for Maria Please", contact, `{"first_name":"Maria"}`, ""},
		{"create a contact for Maria Pleasence", contact, `{"first_name":"Maria"}`, `{"first_name":"Maria","last_name":"Pleasence"}`},
	})
}
