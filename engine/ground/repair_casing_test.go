package ground

import "testing"

var casingCases = []argumentCase{
	// The request has more capitals.
	{"weather in New York", `{"city":"new york"}`, `{"city":"New York"}`},
	{"what about NASA launches", `{"query":"nasa"}`, `{"query":"NASA"}`},
	{"find the iPhone 15 Pro", `{"query":"iphone 15 pro"}`, `{"query":"iPhone 15 Pro"}`},
	{"das Wetter in Bad Tölz", `{"city":"bad tölz"}`, `{"city":"Bad Tölz"}`},
	{"погода в Нижнем Новгороде", `{"city":"нижнем новгороде"}`, `{"city":"Нижнем Новгороде"}`},
	{"el tiempo en Ávila", `{"city":"ávila"}`, `{"city":"Ávila"}`},
	{"Eiffel Tower tickets", `{"query":"eiffel tower"}`, `{"query":"Eiffel Tower"}`},
	{"ask Dr. Watson about it", `{"query":"watson"}`, `{"query":"Watson"}`},
	{"tag it Work and Home", `{"tags":["work","home"]}`, `{"tags":["Work","Home"]}`},
	{"add Lunch with Bob", `{"deep":{"title":"lunch with bob"}}`, `{"deep":{"title":"Lunch with Bob"}}`},
	// Headings begin as the request has them.
	{"Team meeting at 5, add it", `{"title":"team meeting"}`, `{"title":"Team meeting"}`},
	{"Buy milk. Put that down", `{"note":"buy milk"}`, `{"note":"Buy milk"}`},
	{"Dinner is at 8", `{"event_name":"dinner"}`, `{"event_name":"Dinner"}`},
	{"a team meeting at 5", `{"title":"team meeting"}`, ``},
	{"put something down", `{"title":"groceries"}`, ``},
	{"Team meeting at 5", `{"title":"Team meeting"}`, ``},
	// Left alone.
	{"Team meeting at 5", `{"query":"team meeting"}`, ``},
	{"It is late. Music please", `{"query":"music"}`, ``},
	{"really? Jazz please", `{"query":"jazz"}`, ``},
	{"fly to NEw Delhi soon", `{"city":"New Delhi"}`, ``},
	{"sell my old TVs", `{"query":"tvs"}`, `{"query":"TVs"}`},
	{"WEATHER IN NEW YORK", `{"city":"New York"}`, ``},
	{"WEATHER IN NEW YORK", `{"title":"new york"}`, ``},
	{"weather in new york", `{"city":"New York"}`, ``},
	{"New York or new york", `{"city":"new york"}`, ``},
	{"the Yorkshire hills", `{"city":"york"}`, ``},
	{"ask Ann-Marie about it", `{"query":"ann"}`, ``},
	{"mail Ann.Lee@example.com", `{"email":"ann.lee@example.com"}`, ``},
	{"mail Ann.Lee@example.com", `{"query":"ann"}`, ``},
	{"open Example.com/Docs", `{"query":"example.com/docs"}`, ``},
	{"open the Docs page", `{"link":"docs"}`, ``},
	{"on Monday at 5", `{"day":"monday"}`, ``},
	{"on Monday morning at 5", `{"query":"monday morning"}`, ``},
	{"on March 4", `{"query":"march 4"}`, ``},
	{"seat B12", `{"query":"b12"}`, ``},
	{"the Book", `{"kind":"book"}`, ``},
	{"user Ada", `{"user_id":"ada"}`, ``},
	{"in Celsius please", `{"scale":"celsius"}`, ``},
	{"in Celsius please", `{"unit":"celsius"}`, ``},
	{"read My_File now", `{"query":"my_file"}`, ``},
	{"北京的天气", `{"city":"北京"}`, ``},
	{"الطقس في دبي", `{"city":"دبي"}`, ``},
}

func TestCasingIsRestored(t *testing.T) { checkArguments(t, "casing", textSchema, casingCases) }
