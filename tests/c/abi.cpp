// needle.h from C++: two depths, errors as exceptions, two conversations in turn.
#include "needle.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

static const char *const tools =
	"[{\"name\":\"set_timer\",\"description\":\"Start a countdown timer\",\"parameters\":{\"type\":\"object\","
	"\"properties\":{\"minutes\":{\"type\":\"integer\"}},\"required\":[\"minutes\"]}}]";

static void must(int result) {
	if (result < 0)
		throw std::runtime_error(needle_last_error());
}

static std::string complete(const char *input) {
	std::vector<char> out(8192);
	must(needle_complete(input, 0, &out[0], static_cast<int>(out.size())));
	return &out[0];
}

static void expect(bool holds, const char *what) {
	if (!holds)
		throw std::runtime_error(std::string("expected ") + what);
}

static void run(const char *path) {
	std::ifstream file(path, std::ios::binary);
	std::vector<char> data((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
	must(needle_load(reinterpret_cast<const unsigned char *>(&data[0]), data.size()));
	std::string answers[2];
	for (int i = 0; i < 2; i++) {
		must(needle_set_depth(6 - i));
		must(needle_init(0, tools, 0));
		answers[i] = complete("set a timer for 10 minutes");
		expect(answers[i].find("\"arguments\":{\"minutes\":10}") != std::string::npos, answers[i].c_str());
		needle_reset();
		expect(complete("set a timer for 25 minutes").find("25") != std::string::npos, "another timer after a reset");
		std::vector<float> vector(static_cast<size_t>(needle_embed(0, 0, 0)));
		must(needle_embed("timer", &vector[0], static_cast<int>(vector.size())));
	}
	expect(answers[0].substr(0, answers[0].find("prefill_tps")) != answers[1].substr(0, answers[1].find("prefill_tps")),
		"another confidence at another depth");
	try {
		must(needle_set_depth(99));
		expect(false, "an error for depth 99");
	} catch (const std::runtime_error &e) {
		expect(std::string(e.what()).find("99") != std::string::npos, "an error that names the depth");
	}
}

int main(int argc, char **argv) {
	if (argc != 2)
		return 2;
	try {
		run(argv[1]);
	} catch (const std::exception &e) {
		std::fprintf(stderr, "abi.cpp: %s\n", e.what());
		return 1;
	}
	std::puts("abi.cpp: passed");
	return 0;
}
