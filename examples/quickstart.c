/* cc -Iinclude examples/quickstart.c -Lbuild/lib -lneedle -Wl,-rpath,build/lib -o build/quickstart && build/quickstart demo/needle3-demo.cact */
#include <stdio.h>

#include "needle.h"

static const char tools[] =
	"[{\"name\":\"control_lights\",\"description\":\"Turn lights on or off\",\"parameters\":{\"type\":\"object\","
	"\"properties\":{\"room\":{\"type\":\"string\"},\"state\":{\"type\":\"string\",\"enum\":[\"on\",\"off\"]}},"
	"\"required\":[\"room\",\"state\"]}}]";

int main(int argc, char **argv) {
	char out[8192];
	if (argc != 2 || needle_load_file(argv[1]) < 0 || needle_init(NULL, tools, NULL) < 0 ||
		needle_complete("turn on the kitchen lights", 512, out, sizeof out) < 0) {
		fprintf(stderr, "%s\n", argc == 2 ? needle_last_error() : "usage: quickstart ARCHIVE");
		return 1;
	}
	puts(out);
	return 0;
}
