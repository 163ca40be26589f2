// Package torch stands in for the library's package. It declares what the analyzers need.
package torch

import "iter"

type Tensor struct{}

type Dim int64

func Rand(shape ...int64) *Tensor                       { return &Tensor{} }
func Stack(ts []*Tensor, dim ...Dim) *Tensor            { return &Tensor{} }
func Scope(fn func())                                   { fn() }
func Scoped[V any](seq iter.Seq[V]) iter.Seq[V]         { return seq }
func ScopedRange(n int) iter.Seq[int]                   { return nil }
func NoGrad(fn func())                                  { fn() }
func Tidy(fn func() *Tensor) *Tensor                    { return fn() }
func TidyAll(fn func() []*Tensor) []*Tensor             { return fn() }
func Keep(t *Tensor) *Tensor                            { return t }
func Disown(t *Tensor) *Tensor                          { return t }
func (t *Tensor) Close() error                          { return nil }
func (t *Tensor) IsClosed() bool                        { return false }
func (t *Tensor) Add(o *Tensor) *Tensor                 { return &Tensor{} }
func (t *Tensor) Add_(o *Tensor) *Tensor                { return t }
func (t *Tensor) Eq(o *Tensor) *Tensor                  { return &Tensor{} }
func (t *Tensor) IsNaN() *Tensor                        { return &Tensor{} }
func (t *Tensor) GtScalar(v any) *Tensor                { return &Tensor{} }
func (t *Tensor) ArgMax(opts ...any) *Tensor            { return &Tensor{} }
func (t *Tensor) Sign() *Tensor                         { return &Tensor{} }
func (t *Tensor) Sum(opts ...any) *Tensor               { return &Tensor{} }
func (t *Tensor) Detach() *Tensor                       { return &Tensor{} }
func (t *Tensor) Grad() *Tensor                         { return &Tensor{} }
func (t *Tensor) Zero_() *Tensor                        { return t }
func (t *Tensor) SetGrad(g *Tensor)                     {}
func (t *Tensor) SetRequiresGrad(bool)                  {}
func (t *Tensor) RequiresGrad_(...RequiresGrad) *Tensor { return t }
func (t *Tensor) Backward(opts ...any)                  {}
func (t *Tensor) Item() float64                         { return 0 }
func (t *Tensor) Split(n int64) []*Tensor               { return nil }

type Shape []int64

func Randn(shape Shape, opts ...any) *Tensor                 { return &Tensor{} }
func (t *Tensor) SetIndex(value any, indices ...any) *Tensor { return t }
func (t *Tensor) LogicalNot() *Tensor                        { return &Tensor{} }
func (t *Tensor) LogicalAnd(o *Tensor) *Tensor               { return &Tensor{} }
func (t *Tensor) Clone() *Tensor                             { return &Tensor{} }

type RequiresGrad bool

func Ones(shape Shape, opts ...any) *Tensor                               { return &Tensor{} }
func Zeros(shape Shape, opts ...any) *Tensor                              { return &Tensor{} }
func InferenceMode(fn func())                                             { fn() }
func (t *Tensor) MatMul(o *Tensor) *Tensor                                { return &Tensor{} }
func (t *Tensor) Mul(o *Tensor) *Tensor                                   { return &Tensor{} }
func (t *Tensor) Tanh() *Tensor                                           { return &Tensor{} }
func (t *Tensor) Detach_() *Tensor                                        { return t }
func (t *Tensor) Sub_(o *Tensor) *Tensor                                  { return t }
func (t *Tensor) RegisterHook(fn func(g *Tensor) *Tensor) *Hook           { return &Hook{} }
func (t *Tensor) RegisterPostAccumulateGradHook(fn func(p *Tensor)) *Hook { return &Hook{} }

type Hook struct{}

func (h *Hook) Remove() {}

type Function struct {
	Name              string
	Forward, Backward func(ctx *Context, in ...*Tensor) []*Tensor
}

func (f *Function) Apply(in ...*Tensor) []*Tensor { return nil }

type Context struct{ Value any }

func (c *Context) Save(ts ...*Tensor) {}
func (c *Context) Saved() []*Tensor   { return nil }

type (
	CreateGraph bool
	RetainGraph bool
	Inputs      []*Tensor
)

type Graph struct{}

func Capture(fn func() []*Tensor, opts ...any) *Graph { return &Graph{} }
func (g *Graph) Call(in ...*Tensor) []*Tensor         { return nil }

func Cat(ts []*Tensor, dim ...Dim) *Tensor                { return &Tensor{} }
func (t *Tensor) Narrow(dim, start, length int64) *Tensor { return &Tensor{} }
func (t *Tensor) Size(dim int64) int64                    { return 0 }
