// Command ours is this library's side of the benchmarks: it answers "run CASE ITERATIONS
// [key=value ...]" on standard input with "ok NANOSECONDS [key=value ...]" or "err TEXT"
// on standard output. Package bench/internal/harness describes the cases.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// args are the arguments for one run of a case.
type args struct {
	iterations int
	named      map[string]int64
}

func (a args) get(name string, fallback int64) int64 {
	if v, ok := a.named[name]; ok {
		return v
	}
	return fallback
}

// result contains the time of all iterations and other values by name.
type result struct {
	nanos int64
	named map[string]int64
}

var cases = map[string]func(args) result{}

// timed calls fn a few times to warm up, and then returns the time of the iterations.
func timed(iterations int, fn func()) int64 {
	for range min(iterations, max(iterations/10, 10)) {
		fn()
	}
	start := time.Now()
	for range iterations {
		fn()
	}
	return time.Since(start).Nanoseconds()
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println(answer(in.Text()))
	}
}

func answer(line string) (reply string) {
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "run" {
		return "err bad request: " + line
	}
	a := args{named: map[string]int64{}}
	var err error
	if a.iterations, err = strconv.Atoi(words[2]); err != nil {
		return "err " + err.Error()
	}
	for _, w := range words[3:] {
		name, value, _ := strings.Cut(w, "=")
		if a.named[name], err = strconv.ParseInt(value, 10, 64); err != nil {
			return "err " + err.Error()
		}
	}
	fn, ok := cases[words[1]]
	if !ok {
		return "err no case " + words[1]
	}
	torch.SetNumThreads(int(a.get("threads", 1)))
	err = torch.Try(func() {
		r := fn(a)
		reply = fmt.Sprintf("ok %d", r.nanos)
		for name, v := range r.named {
			reply += fmt.Sprintf(" %s=%d", name, v)
		}
	})
	if err != nil {
		return "err " + err.Error()
	}
	return reply
}
