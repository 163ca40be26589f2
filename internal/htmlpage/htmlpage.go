// Package htmlpage writes pages of HTML that need nothing else: no server, no network, no
// other file. What they show is columns of numbers, compressed, which their scripts draw
// pixel by pixel. The look, the words and the reading of the data are shared.
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

// Write writes a page. In template, "/*@title*/" stands for the title, "/*@style*/" for the
// styles, "/*@script*/" for the shared scripts and then those given, and "/*@data*/" for
// what data writes, in base64. The error is that of w or of data.
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
