// Quantity prints random quantities and times with the results of Kubernetes' own parsers. A line
// has three cells, separated by tabs: the type (quantity, time or micro), the text, and the
// canonical text or `!` with the error.
//
//	go run . -count 400 > ../../../apimachinery/tests/scalars.tsv
//
// The tests `scalars` of genclient-apimachinery also check SCALAR_CASES=FILE.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func main() {
	count := flag.Int("count", 1000, "number of cases")
	seed := flag.Int64("seed", 1, "seed of the random generator")
	flag.Parse()
	random := rand.New(rand.NewSource(*seed))
	for range *count {
		if random.Intn(3) > 0 {
			text := quantity(random)
			var parsed resource.Quantity
			quoted, _ := json.Marshal(text)
			show("quantity", text, &parsed, quoted)
			continue
		}
		text := moment(random)
		quoted, _ := json.Marshal(text)
		if random.Intn(2) == 0 {
			show("time", text, &metav1.Time{}, quoted)
		} else {
			show("micro", text, &metav1.MicroTime{}, quoted)
		}
	}
}

func show(kind, text string, into any, quoted []byte) {
	if err := json.Unmarshal(quoted, into); err != nil {
		fmt.Printf("%s\t%s\t!%s\n", kind, text, err)
		return
	}
	out, _ := json.Marshal(into)
	canonical, _ := strconv.Unquote(string(out))
	fmt.Printf("%s\t%s\t%s\n", kind, text, canonical)
}

func digits(random *rand.Rand, most int) string {
	out := ""
	for range random.Intn(most + 1) {
		out += string("0000123456789"[random.Intn(13)])
	}
	return out
}

func quantity(random *rand.Rand) string {
	text := []string{"", "", "", "", "-", "+"}[random.Intn(6)] + digits(random, 7)
	if random.Intn(12) == 0 {
		text += digits(random, 18)
	}
	if random.Intn(3) == 0 {
		text += "." + digits(random, 4)
	}
	if random.Intn(40) == 0 {
		text += digits(random, 40)
	}
	suffixes := []string{"", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E2", "e-3", "e0", "e17", "E70", "e-7", "e-12", "e-90", "x", "KM", "e", "i"}
	return text + suffixes[random.Intn(len(suffixes))]
}

func moment(random *rand.Rand) string {
	text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", 1900+random.Intn(300), 1+random.Intn(13), 1+random.Intn(31), random.Intn(25), random.Intn(61), random.Intn(60))
	switch random.Intn(4) {
	case 0:
		text += "." + fmt.Sprintf("%06d", random.Intn(1000000))
	case 1:
		text += "." + digits(random, 9)
	}
	text += []string{"Z", "Z", "Z", "+01:30", "-08:00", "", "z", "+25:00", "Zx"}[random.Intn(9)]
	if random.Intn(8) == 0 {
		at := random.Intn(len(text))
		text = text[:at] + strings.Repeat("x", random.Intn(2)) + text[at+1:]
	}
	return text
}
