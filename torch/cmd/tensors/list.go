package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// listing is the description of a file that is printed as JSON.
type listing struct {
	File     string            `json:"file"`
	Format   string            `json:"format"`
	Tensors  []entry           `json:"tensors"`
	Elements int64             `json:"elements"`
	Bytes    int64             `json:"bytes"` // the size of all tensors; shared memory counts once
	Notes    map[string]string `json:"metadata,omitempty"`
}

func (c *command) list(path string) error {
	return c.with(path, func(f file) error {
		entries, err := c.entries(f)
		if err != nil {
			return err
		}
		return c.print(path, f, entries)
	})
}

func (c *command) entries(f file) ([]entry, error) {
	all, err := f.entries()
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, e := range all {
		e.asked = e.Name
		if name, ok := c.wants(e.Name); ok {
			e.Name = name
			if first, ok := c.wants(e.Shares); ok {
				e.Shares = first
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// found returns the entries that the flags select, or an error if they select none.
func (c *command) found(path string, f file) ([]entry, error) {
	entries, err := c.entries(f)
	if err != nil || len(entries) > 0 || c.key == "" && c.match == nil {
		return entries, err
	}
	all, err := f.entries()
	if err != nil {
		return nil, err
	}
	var first []string // the first components of the tensors' names
	for _, e := range all {
		part, _, _ := strings.Cut(e.Name, ".")
		if part = shown(part); !slices.Contains(first, part) && len(first) < 10 {
			first = append(first, part)
		}
	}
	return nil, fmt.Errorf("%s: none of its %s match -key and -match; names begin with %s", path,
		count(len(all), "tensor"), strings.Join(first, ", "))
}

// print prints a file and the errors of its tensors.
func (c *command) print(path string, f file, entries []entry) error {
	l := listing{File: path, Format: f.format(), Tensors: entries}
	if entries == nil {
		l.Tensors = []entry{}
	}
	wrong := false
	for i := range entries {
		e := &entries[i]
		if e.Error != "" {
			wrong = true
			_, _ = fmt.Fprintln(c.stderr, "tensors: "+plain.Text(e.Error))
		}
		l.Elements += e.elements()
		if e.Shares == "" {
			l.Bytes += e.Bytes
		}
	}
	notes := c.below(f.notes())
	if c.json {
		for _, n := range notes {
			if l.Notes == nil {
				l.Notes = map[string]string{}
			}
			l.Notes[n.key] = n.text
		}
		if err := c.encode(l); err != nil {
			return err
		}
	} else {
		c.table(l, notes)
	}
	if wrong {
		return errFound
	}
	return nil
}

// below returns the notes below -key, with the key removed.
func (c *command) below(notes []note) []note {
	if c.key == "" {
		return notes
	}
	var out []note
	for _, n := range notes {
		if rest, ok := strings.CutPrefix(n.key, c.key+"."); ok {
			out = append(out, note{rest, n.text})
		}
	}
	return out
}

func (c *command) encode(v any) error {
	e := json.NewEncoder(c.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// mostNotes and longestNote limit how much is printed of values other than tensors, and longestName
// limits each name in a table, because every row of a table is as long as the longest one.
const (
	mostNotes   = 20
	longestNote = 100
	longestName = 200
)

// shown returns a name as it is printed: escaped, and shortened if it is very long.
func shown(name string) string {
	if name = plain.Text(name); len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "") + "..."
	}
	return name
}

func (c *command) table(l listing, notes []note) {
	var b bytes.Buffer
	_, _ = fmt.Fprintf(&b, "%s: %s, %s, %d elements, %d bytes\n", plain.Text(l.File), l.Format,
		count(len(l.Tensors), "tensor"), l.Elements, l.Bytes)
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for i := range l.Tensors {
		e := &l.Tensors[i]
		if e.Error != "" {
			continue
		}
		cells := []string{
			"  " + shown(e.Name), strings.TrimSpace(e.DType + " " + e.Layout),
			torch.Shape(e.Shape).String(), strconv.FormatInt(e.Bytes, 10),
		}
		if e.Stats != nil {
			cells = append(cells, e.Stats.String())
		}
		if e.Shares != "" {
			cells = append(cells, "memory of "+shown(e.Shares))
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // cannot fail, because it writes to memory
	for i, n := range notes {
		if i == mostNotes {
			_, _ = fmt.Fprintf(&b, "  ... and %d other values\n", len(notes)-i)
			break
		}
		text := n.text
		if len(text) > longestNote {
			text = strings.ToValidUTF8(text[:longestNote], "") + "..."
		}
		_, _ = fmt.Fprintf(&b, "  %s = %s\n", shown(n.key), plain.Text(text))
	}
	_, _ = c.stdout.Write(b.Bytes())
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if rest, ok := strings.CutSuffix(what, "ry"); ok {
		what = rest + "rie"
	}
	return strconv.Itoa(n) + " " + what + "s"
}
