// Prints quantities and what k8s.io/apimachinery's resource.Quantity says of each two that stand beside one another; with the argument "canonical",
// what it makes of each (tests/data/units/canonical.txt).
package main

import (
	"fmt"
	"math/rand"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
)

var fixed = []string{"", "0", "-", "+", ".", "m", "-m", "e5", "e-10", "1.", "1.Gi", ".5", "-.5", "+1", "1", "1000m", "1k", "1K", "1Ki", "1ki", "1e3", "1E3",
	"1E", "1e", "1e+", "1E-3", "1e+3", "0.0000000001", "1n", "1u", "1000n", "1.5Gi", "1.5e", "8Ei", "7.9Ei", "9223372036854775807", "9223372036854775808",
	"10Ei", "9E", "10E", "100E", "-8Ei", "-9Ei", "-9223372036854775807", "0.1Ki", "102.4", "0.5Ki", "512", "0.0000000001Ki", "0.0000000015", "2n",
	"-0.0000000015", "-2n", "001", "00.1", "0100m", "1 ", " 1", "1,5", "1g", "1mi", "1Mi", "1048576", "1M", "1G", "1T", "1P", "1Ti", "1Pi", "1Ei", "1e18",
	"1E18", "1e2.5", "1e--2", "1--", "1-", "-1", "--1", "1_000", "0x10", "Inf", "nan", "1e30", "1e60", "10",
	"123456789012345678901234567890", "123456789012345678901234567891", "1.00000000000000000000001", "1.0000000001", "1.000000001", "100m", "0.1", "99m",
	"1nm", "1Kim", "1ee3", "1e3m", "1mE", "1i", "1KiB", "1GB", "1EE", "1E+", "1Ee3"}

func random() string {
	text := []string{"", "", "", "-", "+"}[rand.Intn(5)]
	for n := rand.Intn(5) * rand.Intn(6); n >= 0; n-- {
		text += string(rune('0' + rand.Intn(10)))
	}
	if rand.Intn(2) == 0 {
		text += "."
		for n := rand.Intn(4) * rand.Intn(5); n > 0; n-- {
			text += string(rune('0' + rand.Intn(10)))
		}
	}
	text += []string{"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e0", "e3", "E-3", "e+12", "e-11", "E20"}[rand.Intn(22)]
	return text
}

func canonical(all []string) {
	fmt.Println("# Recorded from k8s.io/apimachinery v0.37.2 (pkg/api/resource) by tests/data/record-quantities.go canonical.")
	fmt.Println("# TEXT|CANONICAL|ROUNDED UP TO MILLI; TEXT|!ERROR| where it is malformed.")
	for _, text := range all {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			fmt.Printf("%s|!%v|\n", text, err)
			continue
		}
		nano := q.String()
		q, _ = resource.ParseQuantity(text)
		q.RoundUp(resource.Milli)
		fmt.Printf("%s|%s|%s\n", text, nano, q.String())
	}
}

func main() {
	if len(os.Args) > 1 {
		all := append([]string{}, fixed...)
		for _, number := range []string{"1", "8", "10", "12", "100", "999", "1000", "1024", "1500", "2000", "2048", "120000", "0.5", "1.5", "2.50", "0.125", "1.000"} {
			for _, suffix := range []string{"", "n", "u", "m", "k", "M", "G", "E", "Ki", "Mi", "Gi", "Ei", "e3", "e-3", "E6", "e1", "e-7"} {
				all = append(all, number+suffix, "-"+number+suffix)
			}
		}
		for i := 0; i < 500; i++ {
			all = append(all, random())
		}
		canonical(all)
		return
	}
	fmt.Println("# Recorded from k8s.io/apimachinery v0.37.2 (pkg/api/resource) by tests/data/record-quantities.go.")
	fmt.Println("# A|ORDER|B: ORDER is <, = or >; ! where A is malformed (B is not looked at then).")
	all := append([]string{}, fixed...)
	for i := 0; i < 500; i++ {
		all = append(all, random())
	}
	last, lastText := resource.MustParse("1"), "1"
	for _, text := range all {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			fmt.Printf("%s|!|\n", text)
			continue
		}
		fmt.Printf("%s|%c|%s\n", text, "<=>"[q.Cmp(last)+1], lastText)
		last, lastText = q, text
	}
}
