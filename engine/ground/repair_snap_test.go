package ground

import "testing"

const (
	roomTool  = `light{"properties":{"room":{"type":"string","enum":["kitchen","bedroom","living room","room","hall"]},"note":{"type":"string"}},"required":["room"]}`
	modeTool  = `climate{"properties":{"mode":{"$ref":"#/$defs/mode"},"nested":{"properties":{"fan":{"anyOf":[{"enum":["slow","fast"]},{"type":"null"}]}}}},"$defs":{"mode":{"enum":["heat","cool","off","POWER_SAVE"]}}}`
	unitTool  = `convert{"properties":{"from_unit":{"enum":["mile","meter","foot"]},"to_unit":{"enum":["mile","meter","foot"]}}}`
	taskTool  = `task{"properties":{"priority":{"enum":["low","normal","high","urgent"]},"title":{"type":"string"}}}`
	stateTool = `plug{"properties":{"state":{"enum":["on","off"]}}}`
	placeTool = `move{"properties":{"what":{"enum":["sofa","kitchen"]},"where":{"enum":["kitchen","hall"]}}}`
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
		// Other languages.
		{"", "打开 kitchen 的灯", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "alle Lampen außer Küche", germanTwo, `licht{"raum":"Flur"}`, `licht{"raum":"Flur"}`},
		{"", "enciende todo menos kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
		{"", "أطفئ kitchen", roomTool, `light{"room":"hall"}`, `light{"room":"hall"}`},
	} {
		checkRule(t, "snap-option", c)
	}
}
