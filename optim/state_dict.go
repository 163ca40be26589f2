package optim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
)

// State returns the optimizer's state for a parameter under PyTorch's names: "step", "exp_avg",
// "momentum_buffer" and so on. It is empty before the parameter's first step. The optimizer owns
// the tensors. Do not close them; writing to them changes the state. The map is a copy; use
// [Base.SetState] to replace a tensor. Follows Optimizer.state.
func (b *Base) State(p *torch.Tensor) map[string]*torch.Tensor {
	b.mustBeOpen("State")
	m := map[string]*torch.Tensor{}
	if s := b.state[p]; s != nil {
		for i, t := range s.tensors {
			if t != nil {
				m[s.names[i]] = t
			}
		}
	}
	return m
}

// SetState makes t the state of p with the given name, and returns t. The optimizer takes ownership
// of t: no scope frees it any more, but Close does. SetState closes the old tensor. If t is nil, it
// removes the state. It panics with ErrValue for a name that an optimizer of this package does not
// have and for a tensor that is not a parameter of the optimizer, and with ErrNil or ErrClosed for a
// nil or closed parameter or a closed tensor.
func (b *Base) SetState(p *torch.Tensor, name string, t *torch.Tensor) *torch.Tensor {
	b.mustBeOpen("SetState")
	op := b.name + ".SetState"
	if !b.mayHaveState(name) {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%s has no state %q", b.name, name)))
	}
	if p != nil && !p.IsClosed() && b.state[p] == nil && !b.hasParam(p) {
		panic(torch.NewError(op, torch.ErrValue, "p", "it is not a parameter of the optimizer"))
	}
	if t != nil {
		handle(op, "state of parameter", 0, t)
	}
	b.slot(op, 0, p).set(name, torch.Disown(t))
	return t
}

// mayHaveState reports whether the optimizer has a state with the given name. Only an
// optimizer from a different package may have arbitrary state.
func (b *Base) mayHaveState(name string) bool {
	return b.rule == nil || slices.Contains(b.rule.states, name)
}

// hasParam reports whether p is in a group.
func (b *Base) hasParam(p *torch.Tensor) bool {
	return slices.ContainsFunc(b.groups, func(g *ParamGroup) bool { return slices.Contains(g.Params, p) })
}

// StateTensor returns the state of p with the given name, or nil if there is
// none.
func (b *Base) StateTensor(p *torch.Tensor, name string) *torch.Tensor {
	b.mustBeOpen("StateTensor")
	if s := b.state[p]; s != nil {
		return s.get(name)
	}
	return nil
}

// StateDict is an optimizer's state in Python's layout: parameters are numbered
// across all groups.
type StateDict struct {
	State       map[int]map[string]*torch.Tensor // by the number of the parameter, for parameters that have state
	ParamGroups []GroupState
	// Values holds the state that is not stored as a tensor: SparseAdam's "step" and most
	// of LBFGS's state. The values are of type int64, float64 or []*torch.Tensor. In
	// Python they are part of State.
	Values map[int]map[string]any
}

// GroupState is a parameter group in a [StateDict].
type GroupState struct {
	Params   []int          // numbers of the parameters
	Settings map[string]any // under PyTorch's names, with the types that [Option] lists
}

// Close closes the tensors of the state dict. The tensors that Base.StateDict returns belong to the
// innermost scope, like any new tensor. So Close is needed only to free them earlier.
func (s *StateDict) Close() error {
	if s == nil {
		return nil
	}
	for _, m := range s.State {
		for _, t := range m {
			_ = t.Close()
		}
	}
	for _, m := range s.Values {
		for _, v := range m {
			if ts, ok := v.([]*torch.Tensor); ok {
				closeAll(ts)
			}
		}
	}
	return nil
}

// Clone returns a state dict with copies of the values, which belong to no scope. Further steps do
// not change it. It panics with ErrClosed for a closed tensor. Follows copy.deepcopy.
func (s *StateDict) Clone() *StateDict {
	s.mustExist("Clone")
	clone := &StateDict{State: make(map[int]map[string]*torch.Tensor, len(s.State))}
	done := false
	defer func() {
		if !done {
			_ = clone.Close()
		}
	}()
	copied := func(n int, name string, t *torch.Tensor) *torch.Tensor {
		if t != nil {
			operand.NeedElement("StateDict.Clone", fmt.Sprintf("State[%d][%q]", n, name), t)
			torch.NoGrad(func() { t = torch.Disown(t.Clone()) })
		}
		return t
	}
	for n, tensors := range s.State {
		clone.State[n] = make(map[string]*torch.Tensor, len(tensors))
		for name, t := range tensors {
			clone.State[n][name] = copied(n, name, t)
		}
	}
	for n, values := range s.Values {
		if clone.Values == nil {
			clone.Values = map[int]map[string]any{}
		}
		clone.Values[n] = maps.Clone(values)
		for name, v := range values {
			if ts, ok := v.([]*torch.Tensor); ok {
				all := make([]*torch.Tensor, len(ts))
				clone.Values[n][name] = all
				for i, t := range ts {
					all[i] = copied(n, name, t)
				}
			}
		}
	}
	for _, g := range s.ParamGroups {
		clone.ParamGroups = append(clone.ParamGroups, GroupState{slices.Clone(g.Params), maps.Clone(g.Settings)})
	}
	done = true
	return clone
}

// String prints the state dict as Python prints the dict.
func (s *StateDict) String() string {
	if s == nil {
		return "<nil>"
	}
	var b strings.Builder
	b.WriteString("{'state': {")
	for i, n := range s.paramNumbers() {
		fmt.Fprintf(&b, "%s%d: {", comma(i), n)
		all := map[string]any{}
		for name, t := range s.State[n] {
			all[name] = t
		}
		maps.Copy(all, s.Values[n])
		for j, name := range sortedKeys(all) {
			fmt.Fprintf(&b, "%s'%s': %s", comma(j), name, pyRepr(all[name]))
		}
		b.WriteString("}")
	}
	b.WriteString("}, 'param_groups': [")
	for i, g := range s.ParamGroups {
		b.WriteString(comma(i) + "{")
		for _, name := range sortedKeys(g.Settings) {
			v := pyRepr(g.Settings[name])
			if _, ok := g.Settings[name].(string); ok {
				v = "'" + v + "'"
			}
			fmt.Fprintf(&b, "'%s': %s, ", name, v)
		}
		fmt.Fprintf(&b, "'params': %s}", strings.ReplaceAll(fmt.Sprint(g.Params), " ", ", "))
	}
	return b.String() + "]}"
}

func (s *StateDict) mustExist(method string) {
	if s == nil {
		panic(torch.NewError("StateDict."+method, torch.ErrNil, "s", "a nil dict"))
	}
}

// paramNumbers returns the numbers of the parameters that have state.
func (s *StateDict) paramNumbers() []int {
	all := map[int]bool{}
	for n := range s.State {
		all[n] = true
	}
	for n := range s.Values {
		all[n] = true
	}
	return sortedKeys(all)
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

func sortedKeys[K int | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// StateDict returns the settings and the state. The tensors are new handles that share the
// optimizer's memory, so further steps change their values. Follows Optimizer.state_dict.
func (b *Base) StateDict() *StateDict {
	b.mustBeOpen("StateDict")
	runHooks(&b.hooks.dictPre, b.self())
	return replaceDict(&b.hooks.dictPost, b.self(), b.newStateDict())
}

func (b *Base) newStateDict() *StateDict {
	sd := &StateDict{State: map[int]map[string]*torch.Tensor{}}
	numbers := map[*torch.Tensor]int{}
	for _, g := range b.groups {
		gs := GroupState{Settings: g.Settings()}
		for _, p := range g.Params {
			n, ok := numbers[p]
			if !ok {
				n = len(numbers)
				numbers[p] = n
				for name, t := range b.State(p) {
					if b.rule != nil && b.rule.intStep && name == "step" {
						if sd.Values == nil {
							sd.Values = map[int]map[string]any{}
						}
						sd.Values[n] = map[string]any{name: int64(t.Item())}
						continue
					}
					if sd.State[n] == nil {
						sd.State[n] = map[string]*torch.Tensor{}
					}
					sd.State[n][name] = t.Detach()
				}
			}
			gs.Params = append(gs.Params, n)
		}
		sd.ParamGroups = append(sd.ParamGroups, gs)
	}
	if b.saveExtra != nil {
		b.saveExtra(sd)
	}
	return sd
}

// LoadStateDict restores settings and state from a [StateDict] or from a dict that
// Python's optimizer saved. It copies the tensors to the dtype and device of their
// parameters. It restores everything, or changes nothing and returns an error that names
// the entry.
//
// The error is ErrValue for groups, parameters, settings or state that the optimizer does
// not have and for values that it rejects. It is also ErrValue if the dict lacks a
// numeric setting such as lr or betas, or has only part of a parameter's state. It is
// ErrNil for a nil dict or tensor, ErrClosed for a closed tensor, and ErrType for
// settings and state of the wrong type.
//
// Flags that the dict lacks, as dicts of older versions may, keep their values. A
// learning rate that was saved as a tensor becomes a number, and parameter names are
// dropped. Follows Optimizer.load_state_dict.
func (b *Base) LoadStateDict(src StateSource) error {
	if err := torch.Try(func() { b.mustBeOpen("LoadStateDict") }); err != nil {
		return err
	}
	return torch.Try(func() {
		op := b.name + ".LoadStateDict"
		sd := replaceDict(&b.hooks.loadPre, b.self(), b.readStateDict(op, src).shallowCopy(b))
		l := loader{b: b, op: op, sd: sd, params: map[int]*torch.Tensor{}, fusedParams: map[*torch.Tensor]bool{}}
		l.load()
		runHooks(&b.hooks.loadPost, b.self())
	})
}

// shallowCopy returns a copy with the same tensors, which hooks may modify. Without hooks it
// returns s itself.
func (s *StateDict) shallowCopy(b *Base) *StateDict {
	if len(b.hooks.loadPre.all()) == 0 {
		return s
	}
	other := &StateDict{
		State: maps.Clone(s.State), ParamGroups: slices.Clone(s.ParamGroups),
		Values: maps.Clone(s.Values),
	}
	for n, m := range other.State {
		other.State[n] = maps.Clone(m)
	}
	for n, m := range other.Values {
		other.Values[n] = maps.Clone(m)
	}
	for i, g := range other.ParamGroups {
		other.ParamGroups[i] = GroupState{slices.Clone(g.Params), maps.Clone(g.Settings)}
	}
	return other
}
