package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// -readme writes the text between these marks in README.md.
const fromMark, toMark = "<!-- written by -readme -->\n", "<!-- end -->\n"

// writeREADME replaces the gallery's part of README.md in a directory, and writes its
// pictures.
func writeREADME(folder string) error {
	path := filepath.Join(folder, "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), fromMark)
	_, after, closed := strings.Cut(rest, toMark)
	if !ok || !closed {
		return fmt.Errorf("%s: no line %q with %q after it", path, strings.TrimSpace(fromMark),
			strings.TrimSpace(toMark))
	}
	all := make([]told, len(gallery))
	for i, p := range gallery {
		all[i] = p.tell()
	}
	part, err := described(folder, all)
	if err != nil {
		return err
	}
	errs := []error{
		os.WriteFile(path, []byte(before+fromMark+part+toMark+after), 0o600),
		draw(filepath.Join(folder, "gallery.png"), gallery),
	}
	for _, p := range gallery {
		errs = append(errs, draw(filepath.Join(folder, "curves", p.name+".png"), []pattern{p}))
	}
	return errors.Join(errs...)
}

// described returns a table of all patterns, and a section for each of them.
func described(folder string, all []told) (string, error) {
	var table, sections strings.Builder
	table.WriteString("| file | pattern | first entry of the report | remedy |\n|---|---|---|---|\n")
	for i, p := range gallery {
		fmt.Fprintf(&table, "| [%s](%s.go) | %s | %s | %s |\n", p.name, p.name, p.title, all[i].first(), p.remedy)
		code, err := source(filepath.Join(folder, p.name+".go"), "fixed"+strings.ToUpper(p.name[:1])+p.name[1:])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sections, "\n## %s\n\n![native memory of %s over 50 "+
			"steps](curves/%s.png)\n\n```\n%s```\n\nRemedy: %s.\n\n```text\n%s\n```\n",
			strings.ToUpper(p.title[:1])+p.title[1:], p.name, p.name, all[i].text(), p.remedy, code)
	}
	return table.String() + sections.String(), nil
}

// source returns the text of a function in a file.
func source(path, name string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, 0)
	if err != nil {
		return "", err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			return string(text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]), nil
		}
	}
	return "", fmt.Errorf("%s: no function %s", path, name)
}
