package peft

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// compile returns a regular expression of a configuration, which field names.
func compile(field, format string, args ...any) (*regexp.Regexp, error) {
	r, err := regexp.Compile(fmt.Sprintf(format, args...))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", torch.ErrUnsupported, field, err)
	}
	return r, nil
}

// A matcher decides which layers get adapters.
type matcher struct {
	c               config
	target, exclude *regexp.Regexp
	saved, layers   []*regexp.Regexp
	ranks           []valueFor[int64]
	alphas          []valueFor[float64]
}

// valueFor is a value for the layers whose names match.
type valueFor[T any] struct {
	pattern *regexp.Regexp
	value   T
}

func newMatcher(c config) (*matcher, error) {
	m := &matcher{c: c}
	var errs [6]error
	if r := c.Target.regexp; r != nil {
		m.target, errs[0] = compile("target_modules", `\A(?:%s)\z`, *r)
	}
	if r := c.Exclude.regexp; r != nil {
		m.exclude, errs[1] = compile("exclude_modules", `\A(?:%s)\z`, *r)
	}
	m.saved, errs[2] = compileAll("modules_to_save", `\A(?:^|.*\.)%s(?:\z|\..*)`, c.ModulesToSave)
	m.layers, errs[3] = compileAll("layers_pattern", `\A(?:^|.*?\.)%s\.(?P<idx>\d+)\.`, c.LayersPattern)
	if len(m.layers) == 0 {
		m.layers = []*regexp.Regexp{anyLayers}
	}
	m.ranks, errs[4] = compileValues("rank_pattern", c.RankPattern)
	m.alphas, errs[5] = compileValues("alpha_pattern", c.AlphaPattern)
	return m, errors.Join(errs[:]...)
}

// anyLayers matches the path of a layer in a list.
var anyLayers = regexp.MustCompile(`\A.*?\.[^.]*\.(?P<idx>\d+)\.`)

func compileAll(field, format string, patterns []string) (out []*regexp.Regexp, err error) {
	for _, p := range patterns {
		r, err := compile(field, format, p)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func compileValues[T any](field string, values map[string]T) (out []valueFor[T], err error) {
	for _, p := range slices.Sorted(maps.Keys(values)) {
		r, err := compile(field, `\A(?:.*\.)?(?:%s)\z`, p)
		if err != nil {
			return nil, err
		}
		out = append(out, valueFor[T]{r, values[p]})
	}
	return out, nil
}

// valueOf returns the first value whose pattern matches the name, or other.
func valueOf[T any](values []valueFor[T], name string, other T) T {
	for _, v := range values {
		if v.pattern.MatchString(name) {
			return v.value
		}
	}
	return other
}

// isNamed reports whether a path is one of the names, or ends with one after a dot.
func isNamed(path string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return path == n || strings.HasSuffix(path, "."+n) })
}

// excludes reports whether a layer gets no adapter even if it is a target.
func (m *matcher) excludes(path string) bool {
	return m.exclude != nil && m.exclude.MatchString(path) || isNamed(path, m.c.Exclude.names) ||
		slices.ContainsFunc(m.saved, func(r *regexp.Regexp) bool { return r.MatchString(path) })
}

// targets reports whether a layer gets an adapter.
func (m *matcher) targets(path string) bool {
	if m.excludes(path) {
		return false
	}
	if m.target != nil {
		return m.target.MatchString(path)
	}
	if slices.Contains(m.c.Target.names, path) {
		return true
	}
	return isNamed(path, m.c.Target.names) && (len(m.c.Layers) == 0 || m.hasLayer(path))
}

// hasLayer reports whether LayersToTransform has the number of a path.
func (m *matcher) hasLayer(path string) bool {
	for _, r := range m.layers {
		if found := r.FindStringSubmatch(path); found != nil {
			i, err := strconv.Atoi(found[r.SubexpIndex("idx")])
			return err == nil && slices.Contains(m.c.Layers, i)
		}
	}
	return false
}

// isAllLinear reports whether the targets are all linear layers.
func (c *config) isAllLinear() bool {
	if c.Target.regexp != nil {
		return strings.EqualFold(*c.Target.regexp, AllLinear)
	}
	return len(c.Target.names) == 1 && strings.EqualFold(c.Target.names[0], AllLinear)
}

// heads is a model that computes logits with a layer, which all-linear leaves out.
type heads interface{ OutputEmbeddings() nn.Layer }

// modulesOf returns the modules of a model with their paths, and those of wrapped layers
// without the inside of the wrapper.
func modulesOf(model nn.Module) []nn.NamedModule {
	var out []nn.NamedModule
	inside := ""
	for _, c := range nn.NamedModules(model) {
		if inside != "" && strings.HasPrefix(c.Name, inside) {
			continue
		}
		inside = ""
		switch c.Module.(type) {
		case *Layer, *Saved:
			inside = c.Name + "."
		}
		if c.Name != "" {
			out = append(out, c)
		}
	}
	return out
}

// allLinear returns the paths of the linear layers of a model.
func allLinear(model nn.Module) (paths []string) {
	var head nn.Module
	if h, ok := model.(heads); ok {
		head = h.OutputEmbeddings()
	}
	for _, c := range modulesOf(model) {
		m := c.Module
		if m == head {
			continue
		}
		if l, ok := m.(*Layer); ok {
			m = l.BaseLayer
		}
		switch kindOf(m) {
		case kindLinear, kindConv1D, kindBlocks:
			paths = append(paths, c.Name)
		}
	}
	return paths
}
