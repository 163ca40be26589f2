package nn

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
)

// watched has the graph of a step that is being captured ask before each replay whether the module is
// as it was: a replay would go on with what it was captured with. Each call of a module calls it.
// layer is one of this package, or nil for a program's own.
func (b *Base) watched(layer Module) {
	if r := recording.Current(); r != nil {
		r.Watch(watchedModule{b, layer}, b.watcher(layer))
	}
}

// watchedModule is what a recording knows a watched module by; the mode of one is watched apart from that.
type watchedModule struct {
	b     *Base
	layer Module
}

// watchMode has it ask whether the module is in the mode that it was captured in, where it matters.
func (b *Base) watchMode() {
	r := recording.Current()
	if r == nil {
		return
	}
	eval := b.eval
	r.Watch(b, func() string {
		switch {
		case b.eval == eval:
			return ""
		case eval:
			return b.says("trains, and was in evaluation mode")
		default:
			return b.says("is in evaluation mode, and trained")
		}
	})
}

// watcher returns what says what has changed in the module since now: its children, its tensors, its
// hooks and, of the layers of this package, its settings. What else a program's own modules have is theirs, a
// counter say, and not looked at.
func (b *Base) watcher(layer Module) func() string {
	hooks, all, derived := b.hooks, everyModule.Load(), b.derived
	children := slices.Clone(b.children)
	tensors := slices.Concat(b.params, b.buffers)
	held := make([]*torch.Tensor, len(tensors))
	for i, e := range tensors {
		held[i] = *e.slot
	}
	var settings []layerField
	if layer != nil {
		settings = settingsOf(layer)
	}
	return func() string {
		switch {
		case !b.hooks.equal(&hooks) || everyModule.Load() != all:
			return b.says("has other hooks than it had")
		case !slices.Equal(b.children, children):
			return b.says("has other layers than it had")
		case len(b.params)+len(b.buffers) != len(tensors) || b.derived != derived:
			return b.says("has other parameters or buffers than it had")
		}
		for i, e := range tensors {
			if *e.slot != held[i] {
				return b.says(fmt.Sprintf("has another %s than it had", e.name))
			}
		}
		for i := range settings {
			if s := &settings[i]; s.changed() {
				return b.says(fmt.Sprintf("has another %s than it had", s.name))
			}
		}
		return ""
	}
}

// says names the module in what a graph refuses to replay for.
func (b *Base) says(what string) string {
	of := ""
	if b.name != "" {
		of = fmt.Sprintf(" %q", b.name)
	}
	return fmt.Sprintf("the %s%s %s when the step was captured", goName(b.self), of, what)
}

// equal says whether two sets have the same hooks.
func (s *hookSet) equal(o *hookSet) bool {
	return slices.Equal(s.pre, o.pre) && slices.Equal(s.post, o.post) && slices.Equal(s.preB, o.preB) && slices.Equal(s.back, o.back)
}

// layerField is an exported field of a layer, or what a slice in one holds, with what it was. They are compared as they
// lie in memory, which takes a few nanoseconds: this comes before each replay.
type layerField struct {
	name     string
	now, was []byte
	text     *string // in place of these
	wasText  string
	keeps    reflect.Value // the copy, so that no pointer in it becomes another's
}

func (s *layerField) changed() bool {
	if s.text != nil {
		return *s.text != s.wasText
	}
	return string(s.now) != string(s.was)
}

func settingsOf(m Module) []layerField {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	return fieldsOf(v.Elem(), nil)
}

func fieldsOf(v reflect.Value, all []layerField) []layerField {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		field := v.Field(i)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && f.Type != baseType:
			all = fieldsOf(field, all)
			continue
		case !f.IsExported() || f.Anonymous || f.Type.Size() == 0:
			continue
		}
		if f.Type.Kind() == reflect.String {
			all = append(all, layerField{name: f.Name, text: (*string)(field.Addr().UnsafePointer()), wasText: field.String()})
			continue
		}
		was := reflect.New(f.Type)
		was.Elem().Set(field)
		all = append(all, layerField{name: f.Name, now: bytesOf(field.Addr(), f.Type.Size()), was: bytesOf(was, f.Type.Size()), keeps: was})
		if f.Type.Kind() == reflect.Slice && field.Len() > 0 && numbers(f.Type.Elem().Kind()) {
			held := bytesOf(field.Index(0).Addr(), uintptr(field.Len())*f.Type.Elem().Size())
			all = append(all, layerField{name: f.Name, now: held, was: slices.Clone(held)})
		}
	}
	return all
}

// numbers says whether a value of that kind is a number or a bool.
func numbers(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Complex128 }

// bytesOf is the memory that a pointer points to.
func bytesOf(p reflect.Value, n uintptr) []byte { return unsafe.Slice((*byte)(p.UnsafePointer()), n) }
