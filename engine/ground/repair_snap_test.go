package ground

import "testing"

const (
	roomTool  = `light{"properties":{"room":{"type":"string","enum":["kitchen","bedroom","living room","room","hall"]},"note":{"type":"string"}},"required":["room"]}`
	modeTool  = `climate{"properties":{"mode":{"$ref":"#/$defs/mode"},"nested":{"properties":{"fan":{"anyOf":[{"enum":["slow","fast"]},{"type":"null"}]}}}},"$defs":{"mode":{"enum":["heat","cool","off","POWER_SAVE"]}}}`
	unitTool  = `convert{"properties":{"from_unit":{"enum":["mile","meter","foot"]},"to_unit":{"enum":["mile","meter","foot"]}}}`
	taskTool  = `task{"properties":{"priority":{"enum":["low","normal","high","urgent"]},"title":{"type":"string"}}}`
	stateTool = `plug{"properties":{"state":{"enum":["on","off"]}}}`
	placeTool = `move{"properties":{"what":{"enum":["sofa","kitchen"]},"where":{"enum":["kitchen","hall"]}}}`
	envTool   = `deploy{"properties":{"environment":{"enum":["dev","staging","production"]}}}`
	doneTool  = `ticket{"properties":{"status":{"enum":["open","in_progress","done"]},"number":{"type":"integer"}}}`
	levelTool = `heater{"properties":{"level":{"enum":["low","medium","high"]}}}`
	foodTool  = `find_restaurant{"properties":{"cuisine":{"enum":["italian","indian","thai"]}}}`
	painTool  = `log_symptom{"properties":{"severity":{"enum":["mild","moderate","severe"]}}}`
	roomLevel = `heating{"properties":{"place":{"type":"string"},"level":{"enum":["low","medium","high"]},"day":{"type":"string","format":"date"}}}`
	playTool  = `media_player{"properties":{"operation":{"enum":["play","pause","resume"]},"repeat":{"enum":["once","pause"]}}}`
	actTool   = `media_player{"properties":{"operation":{"enum":["play","pause","resume"]}}}`
	germanTwo = `licht{"properties":{"raum":{"enum":["Küche","Flur"]}}}`
)

func TestSnapOption(t *testing.T) {
	for _, c := range []judged{
		{"", "turn on the kitchen light", roomTool, `light{"room":"hall"}`, `light{"room":"kitchen"}`},
		{"", "Turn on the light in the Living Room please", roomTool, `light{"room":"hall"}`, `light{"room":"living room"}`},
		{"", "dim the living-room lights", roomTool, `light{"room":"hall"}`, `light{"room":"living room"}`},
		{"", "dim the lights of all bedrooms", roomTool, `light{"room":"hall"}`, `light{"room":"bedroom"}`},
		{"", "set the air conditioner to cooling", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"cool"}`},
		{"", "turn the heater to heat", modeTool, `climate{"mode":"POWER_SAVE"}`, `climate{"mode":"heat"}`},
		{"", "switch it to power save", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"POWER_SAVE"}`},
		{"", "turn it off", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"off"}`},
		{"", "make the fan fast", modeTool, `climate{"nested":{"fan":"slow"}}`, `climate{"nested":{"fan":"fast"}}`},
		{"", "add a high priority task to pay the rent", taskTool, `task{"priority":"low"}`, `task{"priority":"high"}`},
		// What is named stays.
		{"", "turn on the kitchen light", roomTool, `light{"room":"kitchen"}`, `light{"room":"kitchen"}`},
		{"", "turn on the light in the kitchen and the bedroom", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "turn on the light in the hall near the kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "turn on the hallway light behind the kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "turn on the light", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		// Negated, left out, or how things are.
		{"", "turn on the light, not the kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "turn on the lights in all but the kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "don't turn on the kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "turn on every light except the kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "it is too cool in here, make it warmer", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"heat"}`},
		{"", "switch from cool to something warmer", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"heat"}`},
		{"", "Start it now. Power save after an hour", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"heat"}`},
		// It may belong to something else.
		{"", "turn on the plug", stateTool, `plug{"state":"off"}`, `plug{"state":"off"}`}, // too short to be sure
		{"", "turn off the plug", stateTool, `plug{"state":"on"}`, `plug{"state":"off"}`},
		{"", "turn off the plug on the desk", stateTool, `plug{"state":"on"}`, `plug{"state":"on"}`},
		{"", "move the thing to the kitchen", placeTool, `move{"what":"sofa","where":"hall"}`, `move{"what":"sofa","where":"hall"}`},
		{"", "turn on the kitchen light", roomTool, "light{\"room\":\"hall\"}\nlight{\"note\":\"x\"}", "light{\"room\":\"hall\"}\nlight{\"note\":\"x\"}"},
		{"", "convert two miles", unitTool, `convert{"from_unit":"foot"}`, `convert{"from_unit":"foot"}`},
		{"", "convert it to miles", unitTool, `convert{"from_unit":"foot","to_unit":"meter"}`, `convert{"from_unit":"foot","to_unit":"meter"}`},
		{"", "turn on the kitchen light", roomTool, "light{\"room\":\"hall\"}\nlight{\"room\":\"bedroom\"}", "light{\"room\":\"hall\"}\nlight{\"room\":\"bedroom\"}"},
		{"", "turn on the light and note the kitchen is dirty", roomTool, `light{"room":"hall","note":"kitchen is dirty"}`, `light{"room":"hall","note":"kitchen is dirty"}`},
		{"", `turn on the light and call it "kitchen"`, roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "add a task to buy a low chair", taskTool, `task{"priority":"normal"}`, `task{"priority":"normal"}`},
		{"I am in the hall", "now turn on the kitchen light as well", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "turn on the light in the kitchenette", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		// An object of the request.
		{"", "could you please set the heater to low?", levelTool, `heater{"level":"high"}`, `heater{"level":"low"}`},
		{"", "run the heater on low, please", levelTool, `heater{"level":"high"}`, `heater{"level":"low"}`},
		{"", "turn it to the low level", levelTool, `heater{"level":"high"}`, `heater{"level":"low"}`},
		{"", "make it warmer. level: low", levelTool, `heater{"level":"high"}`, `heater{"level":"low"}`},
		{"", "use it, level=low", levelTool, `heater{"level":"high"}`, `heater{"level":"low"}`},
		{"", "open the window and set the level to low", levelTool, `heater{"level":"high"}`, `heater{"level":"low"}`},
		{"", "deploy it to staging", envTool, `deploy{"environment":"dev"}`, `deploy{"environment":"staging"}`},
		{"", "find me an italian restaurant in Rome", foodTool, `find_restaurant{"cuisine":"thai"}`, `find_restaurant{"cuisine":"italian"}`},
		{"", "mark the ticket as done", doneTool, `ticket{"status":"open"}`, `ticket{"status":"done"}`},
		{"", "Let's pause the media player and add an event", actTool, `media_player{"operation":"resume"}`, `media_player{"operation":"pause"}`},
		{"", "could you please pause it? Pause the player", actTool, `media_player{"operation":"resume"}`, `media_player{"operation":"resume"}`},
		{"", "pause the film and go on with the player", actTool, `media_player{"operation":"resume"}`, `media_player{"operation":"resume"}`},
		{"", "go on after the pause of the player", actTool, `media_player{"operation":"resume"}`, `media_player{"operation":"resume"}`},
		{"", "pause the player", playTool, `media_player{"operation":"resume"}`, `media_player{"operation":"resume"}`},
		// An adjective before something else, or a part of a name.
		{"", "the dev team wants it live", envTool, `deploy{"environment":"production"}`, `deploy{"environment":"production"}`},
		{"", "deploy the dev team's work", envTool, `deploy{"environment":"production"}`, `deploy{"environment":"production"}`},
		{"", "deploy it to dev.example.com", envTool, `deploy{"environment":"production"}`, `deploy{"environment":"production"}`},
		{"", "promote the build on staging to prod", envTool, `deploy{"environment":"production"}`, `deploy{"environment":"production"}`},
		{"", "deploy what we tested on staging", envTool, `deploy{"environment":"production"}`, `deploy{"environment":"production"}`},
		{"", "finish ticket 9 about the open API", doneTool, `ticket{"status":"done"}`, `ticket{"status":"done"}`},
		{"", "the open house ticket 12 is finished", doneTool, `ticket{"status":"done"}`, `ticket{"status":"done"}`},
		{"", "close the open ticket 12", doneTool, `ticket{"status":"done"}`, `ticket{"status":"done"}`},
		{"", "update ticket 12 (status: open), it is finished", doneTool, `ticket{"status":"done"}`, `ticket{"status":"done"}`},
		{"", "set a reminder to open", doneTool, `ticket{"status":"done"}`, `ticket{"status":"done"}`},
		{"", "ticket 3: the door won't open. I'm working on it", doneTool, `ticket{"status":"in_progress"}`, `ticket{"status":"in_progress"}`},
		{"", "ticket 3: the door fails to open. I'm working on it", doneTool, `ticket{"status":"in_progress"}`, `ticket{"status":"in_progress"}`},
		{"", "warm up my low-ceilinged room at full speed", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "a low hum bothers me, run the heater at full blast", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "set the heater at Low Moor to full", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "turn the low heater to full", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "set it to low, no wait, full blast", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "set it to anything. I can't stand the level at low", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "I put it to low and it is freezing", levelTool, `heater{"level":"high"}`, `heater{"level":"high"}`},
		{"", "make the cool kids warm", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"heat"}`},
		{"", "warm the room for the cool kids", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"heat"}`},
		{"", "make the kids cool", modeTool, `climate{"mode":"heat"}`, `climate{"mode":"heat"}`},
		{"", "pizza near the Indian embassy in Rome", foodTool, `find_restaurant{"cuisine":"italian"}`, `find_restaurant{"cuisine":"italian"}`},
		{"", "find a pizza place for my Indian friend", foodTool, `find_restaurant{"cuisine":"italian"}`, `find_restaurant{"cuisine":"italian"}`},
		{"", "the mild curry gave me terrible cramps", painTool, `log_symptom{"severity":"severe"}`, `log_symptom{"severity":"severe"}`},
		{"", "log the cramps after the mild curry", painTool, `log_symptom{"severity":"severe"}`, `log_symptom{"severity":"severe"}`},
		{"", "severe weather gave me a slight cough", painTool, `log_symptom{"severity":"mild"}`, `log_symptom{"severity":"mild"}`},
		// Several calls that may become one.
		{"", "set the den to low except the hall", roomLevel, "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"place\":\"hall\",\"level\":\"high\"}", "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"place\":\"hall\",\"level\":\"high\"}"},
		{"", "set the den to low except the hall", roomLevel, `heating{"place":"den","level":"high"}`, `heating{"place":"den","level":"high"}`},
		{"", "set the den to low but never heat the hall", roomLevel, `heating{"place":"den","level":"high"}`, `heating{"place":"den","level":"high"}`},
		{"", "set the den to low and the hall to full", roomLevel, "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"place\":\"hall\",\"level\":\"high\"}", "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"place\":\"hall\",\"level\":\"high\"}"},
		{"", "set the den to low", roomLevel, "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"level\":\"high\",\"place\":\"den\"}", "heating{\"place\":\"den\",\"level\":\"low\"}\nheating{\"level\":\"low\",\"place\":\"den\"}"},
		// Other languages.
		{"", "打开 kitchen 的灯", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "alle Lampen außer Küche", germanTwo, `licht{"raum":"Flur"}`, `licht{"raum":"Flur"}`},
		{"", "enciende todo menos kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "أطفئ kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
	} {
		checkRule(t, "snap-option", c)
	}
}

// TestSnapOptionTwice repairs with all rules: calls that others drop must not change what is snapped.
func TestSnapOptionTwice(t *testing.T) {
	twice := func(args string) string { return "heating" + args + "\nheating" + args }
	for _, c := range []judged{
		{"", "set the den to low except the hall", roomLevel, "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"place\":\"hall\",\"level\":\"high\"}", ""},
		{"", "set the den to low but don't heat the hall", roomLevel, "heating{\"place\":\"den\",\"level\":\"high\"}\nheating{\"place\":\"hall\",\"level\":\"high\"}", ""},
		{"", "set the den to low", roomLevel, twice(`{"place":"den","level":"high"}`), ""},
		{"", "Next Friday set the den to low", roomLevel, "heating{\"place\":\"den\",\"level\":\"high\",\"day\":\"2026-12-01\"}\nheating{\"place\":\"den\",\"level\":\"high\",\"day\":\"2026-12-02\"}", ""},
	} {
		o := Options{Confidence: 1}
		once := writtenCalls(c.judge(t, o, true).Calls)
		c.calls = once
		if again := writtenCalls(c.judge(t, o, true).Calls); again != once {
			t.Errorf("%q: %s once, %s twice", c.text, once, again)
		}
	}
}
