package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// generator generates random expressions of a given type; most of them compile.
type generator struct {
	*rand.Rand
	depth     int
	variables map[string][]string
}

func expression(random *rand.Rand) string {
	g := &generator{Rand: random, variables: map[string][]string{}}
	kinds := []string{"bool", "bool", "bool", "int", "uint", "double", "string", "bytes", "duration", "timestamp", "list(int)", "list(string)", "list(double)", "map", "dyn", "optional(int)", "optional(string)", "quantity", "ip", "cidr", "url", "semver", "format", "type"}
	g.depth = 1 + random.Intn(4)
	return g.of(kinds[random.Intn(len(kinds))])
}

func (g *generator) pick(choices ...string) string { return choices[g.Intn(len(choices))] }

// of returns an expression of a type.
func (g *generator) of(kind string) string {
	if g.depth <= 0 || g.Intn(6) == 0 {
		return g.leaf(kind)
	}
	g.depth--
	defer func() { g.depth++ }()
	if g.Intn(9) == 0 {
		switch g.Intn(4) {
		case 0:
			return fmt.Sprintf("(%s ? %s : %s)", g.of("bool"), g.of(kind), g.of(kind))
		case 1:
			return fmt.Sprintf("[%s, %s][%s]", g.of(kind), g.of(kind), g.of("int"))
		case 2:
			return fmt.Sprintf("optional.of(%s).orValue(%s)", g.of(kind), g.of(kind))
		case 3:
			return fmt.Sprintf("{'a': %s}.a", g.of(kind))
		}
	}
	templates, ok := templates[kind]
	if !ok {
		return g.leaf(kind)
	}
	return g.fill(templates[g.Intn(len(templates))])
}

// fill replaces each `$type` in a template by an expression, and each `@type;` by a fresh variable.
func (g *generator) fill(template string) string {
	var out strings.Builder
	bound := []string{}
	for i := 0; i < len(template); {
		switch {
		case template[i] == '$':
			end := i + 1
			for end < len(template) && (isLetter(template[end])) {
				end++
			}
			if end < len(template) && template[end] == '(' && (template[i+1:end] == "list" || template[i+1:end] == "optional") {
				end += strings.IndexByte(template[end:], ')') + 1
			}
			out.WriteString(g.of(template[i+1 : end]))
			i = end
		case template[i] == '@':
			end := i + 1
			for template[end] != ';' {
				end++
			}
			name := fmt.Sprintf("v%d", len(g.variables)+len(bound))
			kind := template[i+1 : end]
			name = fmt.Sprintf("v%d", g.Intn(1000))
			g.variables[kind] = append(g.variables[kind], name)
			bound = append(bound, kind)
			out.WriteString(name)
			i = end + 1
		default:
			out.WriteByte(template[i])
			i++
		}
	}
	for _, kind := range bound {
		g.variables[kind] = g.variables[kind][:len(g.variables[kind])-1]
	}
	return out.String()
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (g *generator) leaf(kind string) string {
	if names := g.variables[kind]; len(names) > 0 && g.Intn(3) > 0 {
		return names[g.Intn(len(names))]
	}
	if choices, ok := leaves[kind]; ok {
		return choices[g.Intn(len(choices))]
	}
	return "null"
}

var leaves = map[string][]string{
	"bool":             {"true", "false", "self.spec.flag", "has(self.spec.absent)", "has(self.spec.text)", "dyn(true)", "has(self.spec.absentObject.a)", "has(self.spec.labels.app)", "self.spec.absent == 'x'", "(1/0 == 1)", "self.spec.labels == oldSelf.value().spec.labels", "dyn(1)"},
	"int":              {"0", "1", "2", "-1", "3", "7", "100", "9223372036854775807", "-9223372036854775808", "self.spec.int", "self.spec.zero", "self.spec.negative", "self.spec.port", "self.spec.list[1]", "dyn(2)", "dyn('two')", "dyn(2u)", "dyn(2.0)", "size(self.spec.text)", "self.spec.counts.a", "self.spec.counts['b']", "int('12')", "1/0", "self.spec.?int.orValue(3)", "self.spec.ports[0].port"},
	"uint":             {"0u", "1u", "5u", "18446744073709551615u", "dyn(3u)", "uint(7)", "uint('8')"},
	"double":           {"0.0", "1.5", "-2.25", "1e300", "1234567.891", "self.spec.number", "self.spec.whole", "self.spec.numbers[0]", "self.spec.numbers[1]", "dyn(2.5)", "double('NaN')", "double('Infinity')", "double('-1e-7')", "1.0/3.0", "double(2)", "0.1"},
	"string":           {"''", "'a'", "'abc'", "'Hello'", "self.spec.text", "self.spec.empty", "self.spec.long", "self.spec.absent", "self.spec.nothing", "self.spec.percent", "self.metadata.name", "self.spec.dash__ded", "self.spec.__namespace__", "self.spec.texts[0]", "self.spec.labels.app", "self.spec.labels['app']", "self.spec.labels['nope']", "dyn('x')", "dyn(1)", "self.spec.embedded.metadata.name", "self.spec.object.known", "'ö🙂'", "'a,b,,c'", "'  x\\t'", "oldSelf.value().spec.text", "self.spec.?absent.orValue('d')", "r'\\d+'", "'o'", "'ab\"c\\n'", "'-5'", "'true'", "'1.5'", "'10.0.0.1'", "'1Gi'"},
	"bytes":            {"b'abc'", "b''", "b'\\xff'", "self.spec.data", "bytes('ö')", "dyn(b'a')"},
	"duration":         {"duration('1h')", "duration('-1.5s')", "duration('0')", "duration('1h30m15.5s')", "self.spec.wait", "self.spec.loose", "self.spec.waits.w", "self.spec.ports[0].grace", "dyn(duration('1ms'))", "duration('2562047h')", "duration('1us')"},
	"timestamp":        {"timestamp('2026-01-31T12:34:56Z')", "timestamp('1970-01-01T00:00:00Z')", "timestamp('2020-02-29T23:59:59.999999999+05:30')", "timestamp('9999-12-31T23:59:59Z')", "timestamp('0001-01-01T00:00:00Z')", "self.spec.when", "self.spec.zoned", "self.spec.day", "self.spec.times[0]", "timestamp(0)", "timestamp(1700000000)", "dyn(self.spec.when)"},
	"list(int)":        {"[1, 2, 3]", "[]", "[3, 1, 2]", "self.spec.list", "self.spec.emptyList", "[1]", "lists.range(5)", "self.spec.nested[0]", "dyn([1, 2])", "[self.spec.int, 1]", "[?self.spec.?int, ?optional.none()]"},
	"list(string)":     {"['a', 'b']", "self.spec.texts", "self.spec.set", "self.spec.otherSet", "['b', 'a', 'b']", "['x', 'y', 'z', 'y']", "['']", "dyn(['q'])", "[self.spec.text, 'b']", "'a-b-c'.split('-')"},
	"list(double)":     {"[1.5, 2.5]", "self.spec.numbers", "[0.5]", "dyn([1.0])", "[2.5, -1.0, 1e10]"},
	"list(duration)":   {"[duration('1s'), duration('2s')]", "[self.spec.wait]", "[duration('3m'), duration('-1s')]"},
	"list(timestamp)":  {"self.spec.times", "[self.spec.when, self.spec.day]"},
	"list(uint)":       {"[1u, 2u]", "[5u, 3u]"},
	"list(bool)":       {"[true, false]", "[false, self.spec.flag]"},
	"list(bytes)":      {"[b'a', b'c']", "[self.spec.data, b'']"},
	"list(list)":       {"[[1], [2, 3]]", "self.spec.nested", "[[1, 2], []]"},
	"map":              {"{'a': 1}", "{}", "self.spec.counts", "{'a': 1, 'b': 2}", "{'a': self.spec.int}", "dyn({'a': 3})", "{?'a': self.spec.?int}", "{?'z': optional.none()}"},
	"maps":             {"{'app': 'web'}", "self.spec.labels", "self.spec.emptyMap", "{'x': 'y'}"},
	"ports":            {"self.spec.ports", "self.spec.otherPorts", "self.spec.ports", "self.spec.ports + self.spec.otherPorts", "self.spec.otherPorts + self.spec.ports"},
	"set":              {"self.spec.set", "self.spec.otherSet", "self.spec.set + ['z']", "self.spec.set + self.spec.otherSet", "self.spec.set + ['x']"},
	"dyn":              {"dyn(1)", "dyn(1.5)", "dyn('x')", "dyn(2u)", "dyn([1, 'a'])", "dyn({'a': 1})", "dyn(null)", "dyn(true)", "self.spec.port", "self.spec.percent", "dyn(self.spec.labels)", "dyn(self.spec.list)", "dyn(self.spec.when)", "dyn(self.spec.wait)", "dyn(self)", "dyn(self.spec.object)", "dyn(b'x')", "dyn(type(1))", "dyn(optional.of(1))", "dyn(quantity('1'))", "dyn(self.spec.ports)", "dyn(self.spec.nullables)", "dyn(1/0)", "dyn(ip('::1'))"},
	"optional(int)":    {"optional.of(1)", "optional.none()", "self.spec.?int", "self.spec.counts[?'a']", "self.spec.counts[?'b']", "self.spec.list[?0]", "self.spec.list[?9]", "[1][?0]", "optional.ofNonZeroValue(0)", "self.spec.list.first()", "self.spec.emptyList.last()", "oldSelf.spec.int", "oldSelf.?spec.?int"},
	"optional(string)": {"optional.of('s')", "self.spec.?absent", "self.spec.?text", "self.spec.?absentObject.?a", "self.spec.?absentObject.a", "self.spec.labels[?'app']", "self.spec.labels.?nope", "self.spec.texts[?1]", "optional.ofNonZeroValue('')", "oldSelf.spec.text", "oldSelf.?spec.absent", "self.spec.?nothing"},
	"quantity":         {"quantity('1')", "quantity('1.5Gi')", "quantity('100m')", "quantity('-2k')", "quantity('1e3')", "quantity('12345678901234567890')", "quantity('0.0000000001')", "quantity('1Ei')", "quantity('16Ei')", "quantity('x')", "quantity('')", "quantity('+1.5')", "quantity('1e-12')", "quantity('.5')", "quantity('1.')", "quantity('000')", "quantity('5Mi')", "quantity('1E')"},
	"ip":               {"ip('10.0.0.1')", "ip('::1')", "ip('fe80::1')", "ip('224.0.0.1')", "ip('0.0.0.0')", "ip('169.254.1.1')", "ip('ff02::1')", "ip('1.2.3')", "ip('::ffff:1.2.3.4')", "ip('fe80::1%eth0')", "ip('01.2.3.4')", "ip('2001:db8::68')", "ip('256.1.1.1')", "ip('1::2::3')", "ip('1:2')", "ip('12345::')", "ip('255.255.255.255')", "cidr('10.1.2.3/8').ip()", "ip('1.2.3.4.5')", "ip(':1')", "ip('::1.2.3.4')", "ip('g::')"},
	"cidr":             {"cidr('10.0.0.0/8')", "cidr('10.1.2.3/8')", "cidr('2001:db8::/32')", "cidr('::/0')", "cidr('10.0.0.0/33')", "cidr('10.0.0.0')", "cidr('10.0.0.0/08')", "cidr('x/8')", "cidr('192.168.1.1/32')", "cidr('::ffff:1.2.3.4/100')", "cidr('fe80::1%a/64')", "cidr('1.2.3.4/-1')"},
	"url":              {"url('https://user:pw@example.com:8080/a%2Fb/c?q=1&q=2&r#frag')", "url('/path')", "url('http://[::1]:80/')", "url('x')", "url('mailto:a@b')", "url('http://ex ample')", "url('https://a.b/c d?x=%zz')", "url('')", "url('http://a/%zz')", "url('http://a:b/')", "url('HTTP://A.B/?')", "url('http://[::1')", "url('http://a:1:2/')", "url('*')", "url('file:///etc')", "url('http://ö.de/ü?ä=ö;')"},
	"semver":           {"semver('1.2.3')", "semver('1.2.3-alpha.1+build.5')", "semver('1.2')", "semver('v1.2', true)", "semver('01.2.3')", "semver('01.2.3', true)", "semver('1.2.3-01')", "semver('1.2.3-beta')", "semver('')", "semver('1.2.x')", "semver('1.2.3+')", "semver('1.0.0-')", "semver('1', true)", "semver('2.0.0-alpha')", "semver('1.2.3-alpha.beta')", "semver('18446744073709551615.0.0')", "semver('1.2-x', true)"},
	"format":           {"format.dns1123Label()", "format.dns1123Subdomain()", "format.dns1035Label()", "format.qualifiedName()", "format.dns1123LabelPrefix()", "format.dns1123SubdomainPrefix()", "format.dns1035LabelPrefix()", "format.labelValue()", "format.uri()", "format.uuid()", "format.byte()", "format.date()", "format.datetime()", "format.named('uuid').value()", "format.named('nope').value()"},
	"type":             {"type(1)", "int", "string", "type('x')", "type(self.spec.when)", "type([1])", "type(self)", "type(null)", "type(type(1))", "google.protobuf.Timestamp", "type(self.spec.port)", "type(quantity('1'))"},
	"named":            {"'my-name'", "'My_Name'", "'a.b'", "''", "'-x'", "'example.com/MyName'", "'/x'", "'a/b/c'", "'x-'", "'123e4567-e89b-12d3-a456-426614174000'", "'aGVsbG8='", "'2024-02-29'", "'2023-02-29'", "'2021-01-01T00:00:00Z'", "'http://example.com'", "'not a url'", "'9abc'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "'ö'"},
	"pattern":          {"'a'", "'^[a-z]+$'", "r'\\w+'", "r'(\\d+)-(\\d+)'", "'o|e'", "'x*'", "'[[:alpha:]]'", "'(?i)HELLO'", "self.spec.empty", "'q.i'", "''", "r'\\bfox\\b'", "'ö'"},
	"zone":             {"'UTC'", "'America/New_York'", "'+02:00'", "'-05:30'", "'Nowhere/Land'", "'Europe/Berlin'", "'Asia/Kolkata'", "''", "'02:00'", "'x:y'", "'europe/berlin'"},
	"formatted":        {"'%s'", "'%d'", "'%f'", "'%.2f'", "'%e'", "'%.3e'", "'%x'", "'%X'", "'%o'", "'%b'", "'a%%b%s'", "'%s and %s'", "'%'", "'%q'", "'%.'", "'none'", "'%.0f'", "'%.20e'", "'%.x'"},
	"any":              {"1", "'x'", "1.5", "true", "self.spec.list", "self.spec.labels", "null", "duration('1s')", "self.spec.when", "b'a'", "2u", "[1.5, 2.5]", "{'k': 'v'}", "type(1)", "self.spec.number", "double('NaN')", "-255", "self.spec.texts", "['a', 'b']", "self.spec.negative", "{1: 2.5}", "[b'x']", "self.spec.port", "optional.of(1)", "quantity('1')", "[duration('1s')]", "'NaN'", "self.spec.ports", "1e20", "0.0000012", "{true: null}"},
}
