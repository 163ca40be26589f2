package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

// inventory is the generator's information about the libtorch versions: each schema with
// the versions that contain it, and the hashes of the files that were read.
type inventory struct {
	versions []string            // ascending
	schemas  map[string][]string // schema line -> versions
	headers  map[string]string   // schema line -> ATen/ops/NAME_ops.h
	sums     []string            // "2.11.0 native_functions.yaml <sha256>"
}

var (
	structRE = regexp.MustCompile(`(?m)^struct TORCH_API (\w+) \{`)
	textRE   = regexp.MustCompile(`(?m)^\s*static constexpr const char\* schema_str = ("(?:[^"\\]|\\.)*");`)
)

// readTrees reads installed libtorch trees. The schemas come from the headers, which list
// every exported operator, including those that torchgen derives. readTrees reads the
// YAML files only to check that they match the headers.
func readTrees(trees, yamls pairs) (*inventory, error) {
	inv := &inventory{schemas: map[string][]string{}, headers: map[string]string{}}
	inv.versions = slices.SortedFunc(maps.Keys(trees), compareVersions)
	for _, version := range inv.versions {
		names, err := inv.readHeaders(version, trees[version])
		if err != nil {
			return nil, err
		}
		dir := yamls[version]
		if dir == "" {
			if dir, err = findYAML(trees[version]); err != nil {
				return nil, err
			}
		}
		if err := inv.readYAML(version, dir, names); err != nil {
			return nil, err
		}
	}
	return inv, nil
}

func (inv *inventory) readHeaders(version, tree string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(tree, "include/ATen/ops/*_ops.h"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no operator headers below %s", tree)
	}
	slices.Sort(files)
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		structs, lines := structRE.FindAllSubmatch(text, -1), textRE.FindAllSubmatch(text, -1)
		if len(structs) != len(lines) {
			return nil, fmt.Errorf("%s: %d structs but %d schemas", filepath.Base(file), len(structs), len(lines))
		}
		for i, m := range lines {
			line, err := strconv.Unquote(unescapeQuotes(string(m[1])))
			if err != nil {
				return nil, fmt.Errorf("%s: %w in %s", filepath.Base(file), err, m[1])
			}
			f, err := schema.Parse(line)
			if err != nil {
				return nil, err
			}
			if got, want := string(structs[i][1]), structName(f); got != want {
				return nil, fmt.Errorf("%s: struct %s, expected %s", f.Name(), got, want)
			}
			inv.schemas[line] = append(inv.schemas[line], version)
			header := strings.TrimSuffix(filepath.Base(file), "_ops.h")
			if other, ok := inv.headers[line]; ok && other != header {
				return nil, fmt.Errorf("%s moved from %s_ops.h to %s_ops.h", f.Name(), other, header)
			}
			inv.headers[line] = header
			names[f.Name()] = true
		}
	}
	return names, nil
}

// unescapeQuotes replaces C's \' with ', because Go's double-quoted strings do not allow
// \'.
func unescapeQuotes(s string) string {
	return regexp.MustCompile(`\\.`).ReplaceAllStringFunc(s, func(esc string) string {
		if esc == `\'` {
			return "'"
		}
		return esc
	})
}

func findYAML(tree string) (string, error) {
	for _, dir := range []string{
		filepath.Join(tree, "share/gotorch"),
		filepath.Join(tree, "../torchgen/packaged/ATen/native"),
	} {
		if _, err := os.Stat(filepath.Join(dir, "native_functions.yaml")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no native_functions.yaml with %s: name its folder with -yaml", tree)
}

func (inv *inventory) readYAML(version, dir string, names map[string]bool) error {
	for _, name := range []string{"native_functions.yaml", "tags.yaml"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		inv.sums = append(inv.sums, fmt.Sprintf("%s %s %s", version, name, hex.EncodeToString(sum[:])))
		if name != "native_functions.yaml" {
			continue
		}
		var entries []struct {
			Func string `yaml:"func"`
		}
		if err := yaml.Unmarshal(text, &entries); err != nil {
			return err
		}
		for _, e := range entries {
			if name, _, _ := strings.Cut(e.Func, "("); !names[name] {
				return fmt.Errorf("libtorch %s: %s is in native_functions.yaml but in no header", version, name)
			}
		}
	}
	return nil
}

const listingTitle = "# Versions of libtorch (* for all), header in ATen/ops, operator schema. Written by genaten " +
	"-torch."

func (inv *inventory) text() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, listingTitle)
	fmt.Fprintf(&b, "versions\t%s\n", strings.Join(inv.versions, ","))
	for _, s := range inv.sums {
		fmt.Fprintf(&b, "sum\t%s\n", s)
	}
	for _, line := range slices.Sorted(maps.Keys(inv.schemas)) {
		tag := strings.Join(inv.schemas[line], ",")
		if len(inv.schemas[line]) == len(inv.versions) {
			tag = "*"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", tag, inv.headers[line], line)
	}
	return b.Bytes()
}

func readListing(path string) (*inventory, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	inv := &inventory{schemas: map[string][]string{}, headers: map[string]string{}}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		key, value, ok := strings.Cut(line, "\t")
		switch {
		case i == 0 && line == listingTitle:
		case !ok:
			return nil, fmt.Errorf("%s:%d: no tab", filepath.Base(path), i+1)
		case key == "versions":
			inv.versions = strings.Split(value, ",")
		case key == "sum":
			inv.sums = append(inv.sums, value)
		default:
			header, line, ok := strings.Cut(value, "\t")
			if !ok {
				return nil, fmt.Errorf("%s:%d: want versions, header and schema", filepath.Base(path), i+1)
			}
			inv.headers[line] = header
			if inv.schemas[line] = strings.Split(key, ","); key == "*" {
				inv.schemas[line] = inv.versions
			}
		}
	}
	return inv, nil
}

func compareVersions(a, b string) int {
	return slices.Compare(versionNumbers(a), versionNumbers(b))
}

func versionNumbers(s string) []int {
	var n []int
	for _, part := range strings.Split(s, ".") {
		v, _ := strconv.Atoi(part)
		n = append(n, v)
	}
	return n
}
