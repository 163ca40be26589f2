package profiler_test

import (
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// Every method either returns, or panics with ErrNil, for a nil profile, list or event,
// and for a profile that NewProfile did not make.
func TestReceiversThatNobodyMade(t *testing.T) {
	var region profiler.Region
	region.End()
	for _, of := range []any{
		(*profiler.Profile)(nil), new(profiler.Profile), (*profiler.Event)(nil),
		(*profiler.EventList)(nil), (*profiler.EventAvg)(nil), (*profiler.AverageList)(nil),
	} {
		v := reflect.ValueOf(of)
		for i := range v.NumMethod() {
			name := fmt.Sprintf("profiler.%s.%s", v.Type().Elem().Name(), v.Type().Method(i).Name)
			m := v.Method(i)
			var args []reflect.Value
			for j := range m.Type().NumIn() - map[bool]int{true: 1}[m.Type().IsVariadic()] {
				arg := reflect.Zero(m.Type().In(j))
				if arg.Type() == reflect.TypeFor[io.Writer]() {
					arg = reflect.ValueOf(io.Discard)
				}
				args = append(args, arg)
			}
			var out []reflect.Value
			err := torch.Try(func() { out = m.Call(args) })
			if v.Type().Method(i).Name == "String" {
				require.NoError(t, err)
				assert.Equal(t, "<nil>", out[0].String())
				continue
			}
			if err == nil && len(out) > 0 {
				err, _ = out[len(out)-1].Interface().(error)
			}
			var e *torch.Error
			if assert.ErrorAs(t, err, &e, name) {
				assert.Equal(t, name, e.Op)
				assert.ErrorIs(t, err, torch.ErrNil)
			}
		}
	}
}

// An error about a file contains the path that was passed.
func TestExportErrorsNameTheFile(t *testing.T) {
	p, err := profiler.Run(func(*profiler.Profile) {}, profiler.WithStack(true), profiler.ProfileMemory(true))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, export := range []func(path string) error{
		p.ExportChromeTrace, p.ExportHTML,
		func(path string) error { return p.ExportStacks(path, "") },
	} {
		require.ErrorContains(t, export(dir), dir+": ")
		require.ErrorContains(t, export(dir+"/none/x.json"), dir+"/none/x.json: ")
	}
}
