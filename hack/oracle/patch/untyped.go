package main

import (
	"encoding/json"
	"math/rand"
	"strconv"
	"strings"
)

var keys = []string{"a", "b", "c", "d/e", "m~n", "<&>", ""}

func anyValue(random *rand.Rand, depth int) any {
	scalar := random.Intn(8)
	if depth > 0 && random.Intn(3) > 0 {
		scalar = 8 + random.Intn(2)
	}
	switch scalar {
	case 0:
		return nil
	case 1:
		return random.Intn(2) == 0
	case 2:
		return random.Intn(3)
	case 3:
		return 1.5
	case 4, 5, 6, 7:
		return []string{"x", "y", "<z>", "é", "\n"}[random.Intn(5)]
	case 8:
		return anyObject(random, depth-1)
	}
	items := make([]any, random.Intn(4))
	for at := range items {
		items[at] = anyValue(random, depth-1)
	}
	return items
}

func anyObject(random *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	for range random.Intn(5) {
		out[keys[random.Intn(len(keys))]] = anyValue(random, depth-1)
	}
	return out
}

// operations returns a JSON patch. Most of its paths exist in the document.
func operations(random *rand.Rand, doc []byte) json.RawMessage {
	var root any
	if err := json.Unmarshal(doc, &root); err != nil {
		panic(err)
	}
	ops := []map[string]any{}
	for range 1 + random.Intn(4) {
		op := map[string]any{"op": []string{"add", "remove", "replace", "move", "copy", "test", "test", "bad"}[random.Intn(8)]}
		target, path := place(random, root)
		op["path"] = path
		if random.Intn(30) > 0 {
			switch {
			case op["op"] == "test" && random.Intn(4) > 0:
				op["value"] = target
			case op["op"] == "test" || op["op"] == "add" || op["op"] == "replace":
				op["value"] = anyValue(random, 2)
			}
		}
		if op["op"] == "move" || op["op"] == "copy" {
			_, op["from"] = place(random, root)
		}
		if random.Intn(40) == 0 {
			delete(op, []string{"op", "path", "from"}[random.Intn(3)])
		}
		ops = append(ops, op)
	}
	return text(ops)
}

func place(random *rand.Rand, root any) (any, string) {
	path, value := "", root
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for {
		if path != "" && random.Intn(3) == 0 {
			break
		}
		switch typed := value.(type) {
		case map[string]any:
			key := keys[random.Intn(len(keys))]
			path, value = path+"/"+escape.Replace(key), typed[key]
			continue
		case []any:
			index := random.Intn(5) - 1
			token := strconv.Itoa(index)
			switch random.Intn(12) {
			case 0:
				token = "-"
			case 1:
				token = "0" + token
			case 2:
				token = "+" + token
			}
			path += "/" + token
			if index < 0 || index >= len(typed) {
				value = nil
			} else {
				value = typed[index]
			}
			continue
		}
		if random.Intn(10) == 0 {
			path += "/" + keys[random.Intn(len(keys))]
		}
		break
	}
	if random.Intn(40) == 0 {
		return value, strings.TrimPrefix(path, "/")
	}
	return value, path
}
