// Command load measures a server with OpenAI's API under load: clients with long and short
// questions, some of which leave before the answer is complete, and some of which send 8 MB.
//
//	go run ./internal/bench/load -url http://localhost:8080 -clients 64 -requests 4
//
// It exits with 1 if an answer is missing or has another beginning than the answer to the
// same question without load.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

type config struct {
	url, model               string
	clients, requests        int
	tokens, leave, big, long int
	pid                      int
}

func main() {
	var c config
	flag.StringVar(&c.url, "url", "http://localhost:8080", "address of the server")
	flag.StringVar(&c.model, "model", "", "name of the model")
	flag.IntVar(&c.clients, "clients", 64, "clients at a time")
	flag.IntVar(&c.requests, "requests", 4, "requests of each client")
	flag.IntVar(&c.tokens, "tokens", 32, "new tokens of an answer")
	flag.IntVar(&c.leave, "leave", 8, "one request of this many is left after its first token; 0: none")
	flag.IntVar(&c.big, "big", 16, "one request of this many has 8 MB; 0: none")
	flag.IntVar(&c.long, "long", 4, "one question of this many is long; 0: none")
	flag.IntVar(&c.pid, "pid", 0, "process of the server, to report its resident memory (Linux)")
	flag.Parse()
	if err := run(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// questions are different ones, so that a mixed-up answer shows.
func (c config) question(i int) string {
	things := []string{
		"the sun", "the sea", "a mountain", "a river", "bread", "music", "a horse",
		"the moon", "paper", "a bridge", "winter", "a clock",
	}
	q := fmt.Sprintf("Write a sentence about %s.", things[i%len(things)])
	if c.long > 0 && i%c.long == c.long-1 {
		q = strings.Repeat("The old town has a market, a school and a long street with many houses. ", 20) + q
	}
	return q
}

// results are those of all clients.
type results struct {
	mu                           sync.Mutex
	first                        []time.Duration
	tokens, whole, left, refused int
	different                    int
	problems                     []string
	resident                     []int64
}

func run(c config, out io.Writer) error {
	const kinds = 12
	alone := make([]string, kinds)
	for i := range alone {
		text, _, err := c.ask(context.Background(), c.question(i), nil)
		if err != nil {
			return err
		}
		alone[i] = text
	}
	var r results
	stop := make(chan struct{})
	go r.watch(c.pid, stop)
	begun := time.Now()
	var wait sync.WaitGroup
	for client := range c.clients {
		wait.Go(func() {
			for n := range c.requests {
				r.one(c, client*c.requests+n, alone)
			}
		})
	}
	wait.Wait()
	close(stop)
	all := time.Since(begun)
	slices.Sort(r.first)
	at := func(p int) time.Duration {
		return r.first[min(len(r.first)-1, len(r.first)*p/100)].Round(time.Millisecond)
	}
	fmt.Fprintf(out, "%d whole answers, %d left, %d too large and refused; %d differ later from those without load\n",
		r.whole, r.left, r.refused, r.different)
	fmt.Fprintf(out, "%d tokens in %.1f s: %.1f a second; first token p50 %v, p99 %v\n",
		r.tokens, all.Seconds(), float64(r.tokens)/all.Seconds(), at(50), at(99))
	if len(r.resident) > 0 {
		quarter := r.resident[len(r.resident)/4]
		fmt.Fprintf(out, "resident: %d MiB at the start, %d MiB after a quarter, %d MiB at the end, %d MiB at most\n",
			r.resident[0]>>20, quarter>>20, r.resident[len(r.resident)-1]>>20, slices.Max(r.resident)>>20)
	}
	if len(r.problems) > 0 {
		return errors.New(strings.Join(r.problems, "\n"))
	}
	return nil
}

// one sends request i.
func (r *results) one(c config, i int, alone []string) {
	if c.big > 0 && i%c.big == c.big-1 {
		r.tooLarge(c)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	leaves := c.leave > 0 && i%c.leave == c.leave/2
	begun, first := time.Now(), time.Duration(0)
	text, n, err := c.ask(ctx, c.question(i), func() {
		first = time.Since(begun)
		if leaves {
			cancel()
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if first > 0 {
		r.first = append(r.first, first)
	}
	want := alone[i%len(alone)]
	switch {
	case leaves:
		r.left++
	case err != nil:
		r.problems = append(r.problems, fmt.Sprintf("request %d: %v", i, err))
	case begin(text) != begin(want):
		r.problems = append(r.problems, fmt.Sprintf("request %d: the answer %q, without load %q", i, text, want))
	default:
		r.whole++
		r.tokens += n
		if text != want {
			r.different++
		}
	}
}

// begin returns the beginning of an answer. What follows may differ: the sums of a batch are
// rounded in another order.
func begin(text string) string { return text[:min(len(text), 8)] }

func (r *results) tooLarge(c config) {
	body := bytes.NewReader(bytes.Repeat([]byte("x"), 8<<20))
	answer, err := http.Post(c.url+"/v1/chat/completions", "application/json", body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.problems = append(r.problems, err.Error())
		return
	}
	_ = answer.Body.Close()
	if answer.StatusCode/100 != 4 {
		r.problems = append(r.problems, "8 MB: "+answer.Status)
	}
	r.refused++
}

// ask returns the answer to a question and the number of its tokens. first is called with the
// first part.
func (c config) ask(ctx context.Context, question string, first func()) (text string, tokens int, err error) {
	body, err := json.Marshal(map[string]any{
		"model": c.model, "messages": []any{map[string]string{"role": "user", "content": question}}, "temperature": 0,
		"max_tokens": c.tokens, "stream": true, "stream_options": map[string]bool{"include_usage": true},
	})
	if err != nil {
		return "", 0, err
	}
	to := c.url + "/v1/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(answer.Body)
		return "", 0, fmt.Errorf("%s: %s", answer.Status, b)
	}
	ended, parts := false, 0
	for s := bufio.NewScanner(answer.Body); s.Scan(); {
		data, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			ended = true
			break
		}
		var e struct {
			Choices []struct {
				Delta struct{ Content string }
				Why   string `json:"finish_reason"`
			}
			Usage struct {
				Tokens int `json:"completion_tokens"`
			}
			Error *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return text, tokens, err
		}
		if e.Error != nil {
			return text, tokens, errors.New(e.Error.Message)
		}
		tokens = cmp.Or(e.Usage.Tokens, tokens)
		for _, choice := range e.Choices {
			ended = ended || choice.Why != ""
			if choice.Delta.Content == "" {
				continue
			}
			if parts++; parts == 1 && first != nil {
				first()
			}
			text += choice.Delta.Content
		}
	}
	if !ended {
		return text, tokens, errors.New("the answer has no end")
	}
	return text, cmp.Or(tokens, parts), nil
}

var rss = regexp.MustCompile(`VmRSS:\s+(\d+)`)

// watch notes the resident memory of the server.
func (r *results) watch(pid int, stop chan struct{}) {
	for tick := time.Tick(200 * time.Millisecond); pid > 0; {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if m := rss.FindSubmatch(b); m != nil {
			n, _ := strconv.ParseInt(string(m[1]), 10, 64)
			r.mu.Lock()
			r.resident = append(r.resident, n<<10)
			r.mu.Unlock()
		}
		select {
		case <-tick:
		case <-stop:
			return
		}
	}
}
