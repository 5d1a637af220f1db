package ground

import "testing"

func TestTemperatures(t *testing.T) {
	const (
		c       = `"temp_c":{"type":"number"}`
		f       = `"temp_f":{"type":"number"}`
		integer = `"target":{"type":"integer","description":"In degrees Celsius"}`
		long    = `"temperature_fahrenheit":{"type":"number"}`
		minmax  = `"min_c":{"type":"number"},"max_c":{"type":"number"}`
	)
	checkRepairs(t, "temperature", "set_thermostat", []repairCase{
		{"set it to 70 degrees Fahrenheit", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"set it to 70°F", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"set it to 70 °F please", integer, `{"target":70}`, `{"target":21}`},
		{"set it to 70F", c, `{"temp_c":70.0}`, `{"temp_c":21.1}`},
		{"set it to 70 F", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"set it to 68 fahrenheit", c, `{"temp_c":68}`, `{"temp_c":20.0}`},
		{"set it to 70 deg F", integer, `{"target":70}`, `{"target":21}`},
		{"seventy-two degrees fahrenheit please", c, `{"temp_c":72}`, `{"temp_c":22.2}`},
		{"minus ten degrees celsius", f, `{"temp_f":-10}`, `{"temp_f":14.0}`},
		{"20 degrees Celsius", f, `{"temp_f":20}`, `{"temp_f":68.0}`},
		{"20.5 °C", long, `{"temperature_fahrenheit":20.5}`, `{"temperature_fahrenheit":68.9}`},
		{"it is -5°C", f, `{"temp_f":-5}`, `{"temp_f":23.0}`},
		{"from 60-70°F", minmax, `{"min_c":60,"max_c":70}`, `{"min_c":15.6,"max_c":21.1}`},
		{"between 60 and 70 degrees Fahrenheit", minmax, `{"min_c":60,"max_c":70}`, `{"min_c":15.6,"max_c":21.1}`},
		{"32°F", c, `{"temp_c":32}`, `{"temp_c":0.0}`},
		{"31.99°F", c, `{"temp_c":31.99}`, `{"temp_c":0.0}`},
		{"set zone A-70°F", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"70 degrees", c, `{"temp_c":70}`, ""},
		{"70 degrees Fahrenheit", c, `{"temp_c":21.1}`, ""},
		{"70 degrees Fahrenheit", c, `{"temp_c":21}`, ""},
		{"70 degrees Fahrenheit", c, `{"temp_c":25}`, ""},
		{"70 degrees Celsius", c, `{"temp_c":70}`, ""},
		{"70°F, that's 70°C", c, `{"temp_c":70}`, ""},
		{"set 70 F and tell me in Celsius", c, `{"temp_c":70}`, ""},
		{"from 50°F to 10°F", c, `{"temp_c":10}`, ""},
		{"70 degrees Fahrenheit", c + `,"unit":{"type":"string"}`, `{"temp_c":70,"unit":"fahrenheit"}`, ""},
		{"70 degrees Fahrenheit", c + `,"x":{"type":"string"}`, `{"temp_c":70,"x":"F"}`, ""},
		{"70 degrees Fahrenheit", `"t":{"type":"number","description":"In Celsius or Fahrenheit"}`, `{"t":70}`, ""},
		{"70 degrees Fahrenheit", `"t":{"type":"number"}`, `{"t":70}`, ""},
		{"70 degrees Fahrenheit", `"t":{"type":"number","title":"°C"}`, `{"t":70}`, `{"t":21.1}`},
		{"70 degrees Fahrenheit", `"temp_c":{"type":"number","enum":[70,20]}`, `{"temp_c":70}`, ""},
		{"70 degrees Fahrenheit", `"temp_c":{"type":"string"}`, `{"temp_c":"70"}`, ""},
		{"70 files in folder F", c, `{"temp_c":70}`, ""},
		{"170°F", c, `{"temp_c":70}`, ""},
		{"70 for Fred", c, `{"temp_c":70}`, ""},
		{"70F", `"a":{"type":"array","items":{"type":"object","properties":{"t_c":{"type":"integer"}}}}`, `{"a":[{"t_c":70},{"t_c":5}]}`, `{"a":[{"t_c":21},{"t_c":5}]}`},
		{"set it to 70 f.", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"set it to 70 f for the night", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"set it to 70 degrees f tonight", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"set the ac to 70°f whenever somebody is home", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		// Differences have no zero point.
		{"raise the ac by 5 F", `"offset_c":{"type":"number"}`, `{"offset_c":5}`, ""},
		{"set the ac to 5 F", `"offset_c":{"type":"number"}`, `{"offset_c":5}`, ""},
		{"raise the ac by 9 F", c, `{"temp_c":9}`, ""},
		{"make it 9 degrees Fahrenheit warmer", c, `{"temp_c":9}`, ""},
		{"make it 9°F cooler", c, `{"temp_c":9}`, ""},
		{"9°F more, please", c, `{"temp_c":9}`, ""},
		{"9 degrees Fahrenheit up", c, `{"temp_c":9}`, ""},
		{"turn it down 9 F", c, `{"temp_c":9}`, ""},
		{"turn it +9°F", c, `{"temp_c":9}`, ""},
		{"keep it within 5°F", c, `{"temp_c":5}`, ""},
		{"the difference is 9°F", c, `{"temp_c":9}`, ""},
		{"9°F is fine", `"t":{"type":"number","description":"Change in °C"}`, `{"t":9}`, ""},
		{"9°F is fine", `"deltaT":{"type":"number","description":"In degrees Celsius"}`, `{"deltaT":9}`, ""},
		{"9°F is fine", `"hysteresis_c":{"type":"number"}`, `{"hysteresis_c":9}`, ""},
		{"stelle es um 9°F höher", c, `{"temp_c":9}`, ""},
		{"súbelo 9°F más", c, `{"temp_c":9}`, ""},
		// A letter that is no scale.
		{"use 20 f stops and ac at 20", c, `{"temp_c":20}`, ""},
		{"use 20 F stops and ac at 20", c, `{"temp_c":20}`, ""},
		{"buy 20 C batteries and set it to 20", f, `{"temp_f":20}`, ""},
		{"20 c clamps, heat at 20", f, `{"temp_f":20}`, ""},
		{"20 f", "\"temp_c\":{\"type\":\"number\"}", `{"temp_c":20}`, `{"temp_c":-6.7}`},
		{"20 f. and 20 degrees for the oven", c, `{"temp_c":20}`, ""},
		// Signs and the scales' names are the same in other languages; their words are not read.
		{"把温度设为70°F", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"٧٠°F", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"pon 70 grados Fahrenheit", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"stelle 70 Grad Fahrenheit ein", c, `{"temp_c":70}`, `{"temp_c":21.1}`},
		{"siebzig Grad Fahrenheit", c, `{"temp_c":70}`, ""},
		{"把温度设为70华氏度", c, `{"temp_c":70}`, ""},
		{"٧٠ درجة", c, `{"temp_c":70}`, ""},
		{"setenta grados", c, `{"temp_c":70}`, ""},
	})
}
