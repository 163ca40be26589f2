// Package htmlpage writes self-contained HTML pages. A page contains compressed columns
// of numbers, which its scripts draw. All pages use the same styles, texts and code for
// decoding.
package htmlpage

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"strings"
)

//go:embed assets/page.css
var pageCSS string

//go:embed assets/format.js
var formatJS string

//go:embed assets/payload.js
var payloadJS string

// Write writes a page. In template it replaces "/*@title*/" with the title, "/*@style*/"
// with the styles, "/*@script*/" with the shared scripts and those in scripts, and
// "/*@data*/" with the output of data in base64. It returns errors of w and data.
func Write(w io.Writer, template, title string, scripts []string, data func(w io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	text := func(s string) func() error {
		return func() error {
			_, err := b.WriteString(s)
			return err
		}
	}
	parts := map[string]func() error{
		"title":  text(html.EscapeString(title)),
		"style":  text(pageCSS),
		"script": text(strings.Join(append([]string{formatJS, payloadJS}, scripts...), "\n")),
		"data": func() error {
			enc := base64.NewEncoder(base64.StdEncoding, b)
			if err := data(enc); err != nil {
				return err
			}
			return enc.Close()
		},
	}
	rest := template
	for {
		before, after, found := strings.Cut(rest, "/*@")
		if _, err := b.WriteString(before); err != nil {
			return err
		}
		if !found {
			return b.Flush()
		}
		name, tail, _ := strings.Cut(after, "*/")
		if err := parts[name](); err != nil {
			return err
		}
		rest = tail
	}
}
