package hub

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

// repoName is the syntax of a repository's id: a name, or an owner and a name.
var repoName = regexp.MustCompile(`^(?:[0-9A-Za-z_](?:[\w.-]{0,94}\w)?/)?[0-9A-Za-z_](?:[\w.-]{0,94}\w)?$`)

var (
	commitHash = regexp.MustCompile(`^[0-9a-f]{40}$`)
	sha256Hash = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func validRepo(id string) bool {
	return repoName.MatchString(id) && !strings.Contains(id, "--") && !strings.Contains(id, "..") &&
		!strings.HasSuffix(id, ".git")
}

// staysInside reports whether a path of the hub is a path below a folder, on every
// operating system. It must be in canonical form.
func staysInside(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return !strings.ContainsAny(name, "\\\x00") && filepath.IsLocal(filepath.FromSlash(name))
}

// escaped returns a path for a URL, in which slashes stay.
func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// matcher returns a function that reports whether a name matches one of the patterns, as
// Python's fnmatch.fnmatchcase does: * also matches slashes.
func matcher(patterns []string) (func(name string) bool, error) {
	var all []*regexp.Regexp
	for _, p := range patterns {
		p = strings.ReplaceAll(p, "\\", "/")
		if strings.HasSuffix(p, "/") {
			p += "*"
		}
		re, err := regexp.Compile(translated(p))
		if err != nil {
			return nil, err
		}
		all = append(all, re)
	}
	return func(name string) bool {
		for _, re := range all {
			if re.MatchString(name) {
				return true
			}
		}
		return false
	}, nil
}

// translated returns the regular expression for a pattern.
func translated(pattern string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	p := []rune(pattern)
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '[':
			end := classEnd(p, i+1)
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			b.WriteString(class(p[i+1 : end]))
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteString(`\z`)
	return b.String()
}

// classEnd returns the index of the ] that ends a class, or -1. A ] at the start of the
// class belongs to it.
func classEnd(p []rune, at int) int {
	if at < len(p) && p[at] == '!' {
		at++
	}
	for j := at; j < len(p); j++ {
		if p[j] == ']' && j > at {
			return j
		}
	}
	return -1
}

// class returns the regular expression for the inside of a class.
func class(inside []rune) string {
	var b strings.Builder
	b.WriteByte('[')
	if inside[0] == '!' {
		b.WriteByte('^')
		inside = inside[1:]
	}
	for _, c := range inside {
		if strings.ContainsRune(`\[]^&~|`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	b.WriteByte(']')
	return b.String()
}
