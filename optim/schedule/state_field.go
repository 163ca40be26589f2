package schedule

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch"
)

// optionalFloat is a number that may be missing. A missing number is None in Python.
type optionalFloat struct {
	v  float64
	ok bool
}

// milestoneList holds epochs in ascending order. Python stores them as a Counter.
type milestoneList []int64

// field is a part of a scheduler's state. ptr points to a value of a type that a StateDict may
// contain, or to an optionalFloat, a milestoneList or phases.
type field struct {
	name string
	ptr  any
}

// value returns a copy of the field as a StateDict contains it.
func (f field) value() any {
	switch p := f.ptr.(type) {
	case *bool:
		return *p
	case *int64:
		return *p
	case *float64:
		return *p
	case *string:
		return *p
	case *optionalFloat:
		if !p.ok {
			return nil
		}
		return p.v
	case *[]int64:
		return slices.Clone(*p)
	case *[]float64:
		return slices.Clone(*p)
	case *milestoneList:
		return p.counter()
	case *phases:
		return p.dicts()
	}
	panic("schedule: a field of an unknown type")
}

// kind describes a field's type for errors.
func (f field) kind() string {
	switch f.ptr.(type) {
	case *bool:
		return "a bool"
	case *int64:
		return "a whole number"
	case *float64, *optionalFloat:
		return "a number"
	case *string:
		return "a string"
	case *[]int64:
		return "a list of whole numbers"
	case *[]float64:
		return "a list of numbers"
	case *milestoneList:
		return "a Counter or a list of epochs"
	}
	return "a list of two or three phases"
}

// kindOf describes a value's type for errors.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool, int64, float64:
		return pyRepr(v)
	case string:
		return fmt.Sprintf("%.40q", v)
	case *torch.Tensor:
		return "a tensor"
	case pyvalue.Source:
		return "a dict"
	}
	if pyvalue.IsTuple(v) {
		return "a tuple"
	}
	if _, ok := pyvalue.Items(v); ok {
		return "a list"
	}
	return fmt.Sprintf("a %T", v)
}

// convert returns a copy of v in the type that p points to. It returns nil if v cannot be
// converted.
func convert(v, p any) (out any) {
	ok := false
	switch p.(type) {
	case *bool:
		out, ok = v.(bool)
	case *int64:
		out, ok = pyvalue.Int(v)
	case *float64, *optionalFloat:
		out, ok = pyvalue.Float(v)
	case *string:
		out, ok = v.(string)
	case *[]int64:
		out, ok = pyvalue.Ints(v)
	case *[]float64:
		out, ok = pyvalue.Floats(v)
	case *milestoneList:
		out, ok = milestonesOf(v)
	case *phases:
		out, ok = phasesOf(v)
	}
	if !ok {
		return nil
	}
	return out
}

func (f field) set(v any) {
	switch p := f.ptr.(type) {
	case *bool:
		*p = v.(bool)
	case *int64:
		*p = v.(int64)
	case *float64:
		*p = v.(float64)
	case *string:
		*p = v.(string)
	case *optionalFloat:
		f, ok := v.(float64)
		*p = optionalFloat{f, ok}
	case *[]int64:
		*p = v.([]int64)
	case *[]float64:
		*p = v.([]float64)
	case *milestoneList:
		*p = v.(milestoneList)
	case *phases:
		*p = v.(phases)
	}
}

func (m milestoneList) counter() Counter {
	c := Counter{}
	for _, epoch := range m {
		c[epoch]++
	}
	return c
}

// mostMilestones limits the milestones in a Counter that is read from a file. Otherwise a small
// file could ask for any amount of memory.
const mostMilestones = 1 << 16

// milestonesOf returns the milestones in a Python Counter or in a list.
func milestonesOf(v any) (m milestoneList, ok bool) {
	counted, ok := v.(pyvalue.Source)
	if !ok {
		all, ok := pyvalue.Ints(v)
		slices.Sort(all)
		return all, ok
	}
	counted.Each(func(key, value any) bool {
		epoch, isEpoch := pyvalue.Int(key)
		times, isCount := pyvalue.Int(value)
		if ok = isEpoch && isCount && times >= 0 && times <= int64(mostMilestones-len(m)); ok {
			m = append(m, slices.Repeat([]int64{epoch}, int(times))...)
		}
		return ok
	})
	slices.Sort(m)
	return m, ok
}
