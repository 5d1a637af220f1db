package ground

import "testing"

const phoneSchema = `{"type":"object","properties":{"phone":{"type":"string"},"phone_number":{"type":"string"},"mobile":{"type":"string"},
	"tel":{"type":"string"},"fax":{"type":"string"},"contactNumber":{"type":"string"},"number":{"type":"string","description":"The phone number to call"},
	"house_number":{"type":"string"},"order_number":{"type":"string"},"hotel":{"type":"string"},"phones":{"type":"array","items":{"type":"string"}},
	"e164":{"type":"object","properties":{"phone":{"type":"string","description":"in E.164 format"}}}}}`

var phoneCases = []argumentCase{
	// Truncated.
	{"call 555-123-4567", `{"phone":"555-12"}`, `{"phone":"555-123-4567"}`},
	{"call 555-123-4567 please", `{"phone_number":"55512345"}`, `{"phone_number":"555-123-4567"}`},
	{"call (555) 123-4567", `{"mobile":"(555) 123"}`, `{"mobile":"(555) 123-4567"}`},
	{"text +49 170 1234567.", `{"tel":"+49 170 12"}`, `{"tel":"+49 170 1234567"}`},
	{"ring +49 (0)30 123456 at 5", `{"phone":"+49 (0)30 12"}`, `{"phone":"+49 (0)30 123456"}`},
	{"fax it to 030/1234567", `{"fax":"030/12"}`, `{"fax":"030/1234567"}`},
	{"the number is 06 12 34 56 78", `{"number":"06 12 34"}`, `{"number":"06 12 34 56 78"}`},
	{"reach me at 13800138000", `{"contactNumber":"13800"}`, `{"contactNumber":"13800138000"}`},
	{"call +1 555 123 4567", `{"phone":"555 123 4567"}`, `{"phone":"+1 555 123 4567"}`},
	{"call 555-123-4567 or 555-987-6543", `{"phones":["555-12","555-9876"]}`, `{"phones":["555-123-4567","555-987-6543"]}`},
	{"打电话给13800138000吧", `{"phone":"138001"}`, `{"phone":"13800138000"}`},
	{"اتصل على ٠٥٥١٢٣٤٥٦٧", `{"phone":"٠٥٥١٢"}`, `{"phone":"٠٥٥١٢٣٤٥٦٧"}`},
	{"اتصل على ٠٥٥١٢٣٤٥٦٧", `{"phone":"055123"}`, `{"phone":"٠٥٥١٢٣٤٥٦٧"}`},
	{"llama al 612 345 678", `{"phone":"612 34"}`, `{"phone":"612 345 678"}`},
	// The request's formatting.
	{"call 555-123-4567", `{"phone":"5551234567"}`, `{"phone":"555-123-4567"}`},
	{"call 5551234567", `{"phone":"555-123-4567"}`, `{"phone":"5551234567"}`},
	{"call (555-123-4567)", `{"phone":"5551234567"}`, `{"phone":"555-123-4567"}`},
	{"Ruf 0170/1234567 an", `{"phone":"01701234567"}`, `{"phone":"0170/1234567"}`},
	{"call 555-123-4567 30 minutes from now", `{"phone":"5551234567"}`, `{"phone":"555-123-4567"}`},
	// The code of a country that the request has elsewhere, or not.
	{"add Bob, phone 49 30 555 0100, country code +49", `{"phone":"+49305550100"}`, ``},
	{"add Bob, phone 49 30 555 0100, country code +49", `{"phone":"+49 30 555 0100"}`, ``},
	{"add Bob, phone 49 30 555 0100", `{"phone":"+49 30 55"}`, ``},
	{"add Bob, phone 30 555 0100, country code +49", `{"phone":"+49305550100"}`, ``},
	{"add Bob, phone 49 30 555 0100", `{"phone":"0049305550100"}`, ``},
	{"add Bob, phone 555 0100, area code 030", `{"phone":"0305550100"}`, ``},
	{"add Bob, phone (0)30 555 0100", `{"phone":"+305550100"}`, ``},
	{"call +44 1 555 0100 20", `{"phone":"+1 555 0100 20"}`, ``},
	{"call +0049 30 555 0100", `{"phone":"49305550100"}`, `{"phone":"+0049 30 555 0100"}`},
	{"call (+49) 30 555 0100", `{"phone":"+49305550100"}`, `{"phone":"(+49) 30 555 0100"}`},
	{"call 0049 30 555 0100", `{"phone":"0049305550100"}`, `{"phone":"0049 30 555 0100"}`},
	{"打电话给49305550100", `{"phone":"+49305550100"}`, ``},
	// Left alone.
	{"call 555-123-4567", `{"phone":"555-123-4567"}`, ``},
	{"call 555-123-4567", `{"phone":"555"}`, ``},
	{"call 555-123-4567", `{"phone":"5551"}`, ``},
	{"call 555-123-4567", `{"phone":5551234567}`, ``},
	{"call 555-123-4567", `{"phone":"987-65"}`, ``},
	{"call 555-123-4567 or 555-123-9999", `{"phone":"555-123"}`, ``},
	{"call 555-123-4567 or 5551234567", `{"phone":"55512"}`, ``},
	{"call 555-123-4567 5 times", `{"phone":"555-123-4567"}`, ``},
	{"for 2 555-123-4567", `{"phone":"555-123-4567"}`, ``},
	{"call 55512, not 555-123-4567", `{"phone":"55512"}`, ``},
	{"ship order 1234567890", `{"order_number":"12345"}`, ``},
	{"house 1234567", `{"house_number":"12345"}`, ``},
	{"hotel 1234567", `{"hotel":"12345"}`, ``},
	{"call on 2024-09-25", `{"phone":"2024-0"}`, ``},
	{"call on 2024-09-25", `{"phone":"20240"}`, ``},
	{"pay $1234567", `{"phone":"12345"}`, ``},
	{"mail 1234567@example.com", `{"phone":"12345"}`, ``},
	{"part AB1234567", `{"phone":"12345"}`, ``},
	{"call 555-123-4567", `{"phone":"extension 55512"}`, ``},
	{"call 555-123-4567", `{"e164":{"phone":"5551234567"}}`, ``},
	{"call 555-123-4567", `{"e164":{"phone":"555123"}}`, `{"e164":{"phone":"555-123-4567"}}`},
	{"card 1234 5678 9012 3456 78", `{"phone":"12345"}`, ``},
	{"Call 555-1234. 67890 is the code", `{"phone":"55512"}`, `{"phone":"555-1234"}`},
	{"call 5551234/5559876", `{"phone":"55512"}`, ``},
}

func TestPhonesAreCompleted(t *testing.T) { checkArguments(t, "phone", phoneSchema, phoneCases) }

func TestKeysOfPhones(t *testing.T) {
	for key, want := range map[string]bool{
		"phone": true, "phoneNumber": true, "mobile_no": true, "tel": true, "home_telephone": true, "cell": true, "fax_number": true, "phone1": true,
		"contact_number": true, "whatsapp_number": true, "number": false, "house_number": false, "order_number": false, "hotel": false, "tell": false,
		"cellar": false, "microphone": false, "numbers": false, "name": false,
	} {
		if got := isPhoneKey(&place{key: key}); got != want {
			t.Errorf("%s: %t, expected %t", key, got, want)
		}
	}
}
