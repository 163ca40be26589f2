package main

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch/serialization"
)

// inspection is the description of a file, which is printed as JSON.
type inspection struct {
	File    string   `json:"file"`
	Format  string   `json:"format"`
	Safe    bool     `json:"safe"` // whether Python may load the file even with weights_only=False
	Globals []global `json:"globals,omitempty"`
}

// global is a class or function that a file names; see serialization.Global.
type global struct {
	Name    string   `json:"name"`
	Offset  int64    `json:"offset"`
	Allowed bool     `json:"allowed"`
	Calls   []string `json:"calls,omitempty"`
	Count   int      `json:"count"`
}

// inspect prints the classes and functions that a file names, and what Python would call.
// It returns errFound if the file is not safe.
func (c *command) inspect(path string) error {
	return c.local(path, func(local string) error {
		kind, err := kindOf(local)
		if err != nil {
			return err
		}
		i := inspection{File: path, Format: kind, Safe: kind != "torchscript" && kind != "pt2"}
		if kind != "pt" {
			f, err := c.open(local)
			if err != nil {
				return err
			}
			defer f.close()
			i.Format = f.format()
			entries, err := f.entries()
			if err != nil {
				return err
			}
			return c.inspected(i, entries)
		}
		globals, err := serialization.Inspect(local)
		if err != nil {
			return err
		}
		for _, g := range globals {
			i.Globals = append(i.Globals, global(g))
			if !g.Allowed && g.Offset >= 0 {
				i.Safe = false
			}
		}
		return c.inspected(i, nil)
	})
}

// inspected prints the findings. Arrays that could not be read are errors.
func (c *command) inspected(i inspection, entries []entry) error {
	var err error
	for _, e := range entries {
		if e.Error != "" {
			_, _ = fmt.Fprintln(c.stderr, "tensors: "+plain.Text(e.Error))
			i.Safe, err = false, errFound
		}
	}
	if !i.Safe {
		err = errFound
	}
	if c.json {
		if err := c.encode(i); err != nil {
			return err
		}
		return err
	}
	switch {
	case i.Format == "torchscript" || i.Format == "pt2":
		_, _ = fmt.Fprintf(c.stdout, "%s: NOT SAFE: it is a program, which torch.%s runs\n", plain.Text(i.File),
			map[string]string{"torchscript": "jit.load", "pt2": "_inductor.aoti_load_package"}[i.Format])
	case !i.Safe && i.Format != "pt":
		_, _ = fmt.Fprintf(c.stdout, "%s: %s, with arrays that are not tensors\n", plain.Text(i.File), i.Format)
	case !i.Safe:
		_, _ = fmt.Fprintf(c.stdout, "%s: NOT SAFE: torch.load(weights_only=False) runs the following\n",
			plain.Text(i.File))
	case i.Format == "pt":
		_, _ = fmt.Fprintf(c.stdout, "%s: safe: it names only what weights_only=True allows\n", plain.Text(i.File))
	default:
		_, _ = fmt.Fprintf(c.stdout, "%s: safe: nothing in %s could run\n", plain.Text(i.File), i.Format)
	}
	for _, g := range i.Globals {
		word := "allowed"
		if !g.Allowed {
			word = "REFUSED"
		}
		where := ""
		if g.Offset >= 0 {
			where = fmt.Sprintf(", byte %d", g.Offset)
		}
		_, _ = fmt.Fprintf(c.stdout, "  %s  %s%s\n", word, shown(g.Name), where)
		if g.Allowed {
			continue
		}
		for _, call := range g.Calls {
			_, _ = fmt.Fprintf(c.stdout, "           %s\n", plain.Text(call))
		}
		if more := g.Count - len(g.Calls); more > 0 {
			_, _ = fmt.Fprintf(c.stdout, "           and %s\n", strings.TrimSpace(count(more, "more call")))
		}
	}
	return err
}

func (c *command) verify(path string) error {
	return c.with(path, func(f file) error {
		if _, err := f.entries(); err != nil {
			return err
		}
		text, err := f.verify()
		if err != nil {
			return err
		}
		if c.json {
			return c.encode(map[string]string{"file": path, "format": f.format(), "verified": text})
		}
		_, _ = fmt.Fprintf(c.stdout, "%s: ok: %s\n", plain.Text(path), text)
		return nil
	})
}
