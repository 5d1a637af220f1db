"""python3 examples/quickstart.py build/lib/libneedle.so demo/needle3-demo.cact"""
import ctypes
import json
import sys

if len(sys.argv) != 3:
    sys.exit("usage: quickstart.py LIBNEEDLE.SO ARCHIVE")
library, archive = sys.argv[1:]
needle = ctypes.CDLL(library)
needle.needle_last_error.restype = ctypes.c_char_p


def check(result):
    """Turn an error of the library into an exception."""
    if result < 0:
        raise RuntimeError(needle.needle_last_error().decode())
    return result


tools = [{"name": "control_lights", "description": "Turn lights on or off",
          "parameters": {"type": "object",
                         "properties": {"room": {"type": "string"},
                                        "state": {"type": "string", "enum": ["on", "off"]}},
                         "required": ["room", "state"]}}]
check(needle.needle_load_file(archive.encode()))
check(needle.needle_init(None, json.dumps(tools).encode(), None))
out = ctypes.create_string_buffer(8192)
check(needle.needle_complete(b"turn on the kitchen lights", 512, out, len(out)))
print(json.loads(out.value)["function_calls"])
