// c++ -Iinclude examples/quickstart.cpp -Lbuild/lib -lneedle -Wl,-rpath,build/lib -o build/quickstart && build/quickstart demo/needle3-demo.cact
#include <iostream>
#include <stdexcept>
#include <vector>

#include "needle.h"

// check turns an error of the library into an exception.
static int check(int result) {
	if (result < 0)
		throw std::runtime_error(needle_last_error());
	return result;
}

int main(int argc, char **argv) try {
	if (argc != 2)
		throw std::runtime_error("usage: quickstart ARCHIVE");
	check(needle_load_file(argv[1]));
	check(needle_init(NULL,
		R"([{"name":"control_lights","description":"Turn lights on or off","parameters":{"type":"object",)"
		R"("properties":{"room":{"type":"string"},"state":{"type":"string","enum":["on","off"]}},)"
		R"("required":["room","state"]}}])", NULL));
	std::vector<char> out(8192);
	check(needle_complete("turn on the kitchen lights", 512, out.data(), static_cast<int>(out.size())));
	std::cout << out.data() << "\n";
} catch (const std::exception &e) {
	std::cerr << e.what() << "\n";
	return 1;
}
