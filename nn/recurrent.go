package nn

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// RNNBase holds the fields common to [RNN], [LSTM] and [GRU]. Its parameters have
// PyTorch's names and order: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, and
// weight_hr_l0 for a projection. Names of the reverse direction end in _reverse. Follows
// torch.nn.RNNBase.
type RNNBase struct {
	Base
	InputSize     int64
	HiddenSize    int64
	NumLayers     int64
	ProjSize      int64 // 0: no projection
	Bias          bool
	BatchFirst    bool
	Dropout       float64
	Bidirectional bool

	kind         recurrence
	names        []string // names of the parameters, in the order that libtorch's operators take
	perDirection int      // parameters per layer and direction
}

// recurrence is the kind of a recurrent layer: an RNN with tanh or ReLU, an LSTM or a
// GRU.
type recurrence uint8

const (
	rnnTanh recurrence = iota
	rnnReLU
	lstm
	gru
)

// gates returns the number of weight rows per hidden unit.
func (k recurrence) gates() int64 {
	switch k {
	case lstm:
		return 4
	case gru:
		return 3
	default:
		return 1
	}
}

// recurrentOptions holds the parsed options of recurrent layers.
type recurrentOptions struct {
	paramMaker
	layers, proj                    int64
	nonlinearity                    Nonlinearity
	bias, batchFirst, bidirectional bool
	dropout                         float64
}

func readRecurrent[O any](op string, opts []O) recurrentOptions {
	r := recurrentOptions{layers: 1, nonlinearity: NonlinearityTanh, bias: true}
	for _, o := range opts {
		switch o := any(o).(type) {
		case NumLayers:
			r.layers = int64(o)
		case Nonlinearity:
			r.nonlinearity = o
		case Bias:
			r.bias = bool(o)
		case BatchFirst:
			r.batchFirst = bool(o)
		case DropoutP:
			r.dropout = float64(o)
		case Bidirectional:
			r.bidirectional = bool(o)
		case ProjSize:
			r.proj = int64(o)
		default:
			r.read(op, o)
		}
	}
	return r
}

// kindOf returns the kind of an RNN or RNNCell with activation n. It panics with
// ErrValue for an unknown activation.
func kindOf(op string, n Nonlinearity) recurrence {
	switch n {
	case NonlinearityTanh:
		return rnnTanh
	case NonlinearityReLU:
		return rnnReLU
	}
	panic(torch.NewError(op, torch.ErrValue, "Nonlinearity",
		fmt.Sprintf(`expected "tanh" or "relu", got %q`, string(n))))
}

// build makes and registers the parameters of a recurrent layer.
func (r *RNNBase) build(self Module, op string, kind recurrence, input, hidden int64, o recurrentOptions) {
	for _, s := range []size{{"inputSize", input}, {"hiddenSize", hidden}, {"NumLayers", o.layers}} {
		if s.n <= 0 {
			panic(torch.NewError(op, torch.ErrValue, s.arg, fmt.Sprintf("expected a positive number, got %d", s.n)))
		}
	}
	if o.proj < 0 || o.proj >= hidden {
		panic(torch.NewError(op, torch.ErrValue, "ProjSize",
			fmt.Sprintf("expected a size of at least 0 and less than the hidden size %d, got %d", hidden, o.proj)))
	}
	mustBeProbability(op, "DropoutP", o.dropout)
	o.setSizes(op, size{"inputSize", input}, size{"hiddenSize", hidden}, size{"NumLayers", o.layers})
	if o.dropout > 0 && o.layers == 1 {
		cgotorch.Warn(fmt.Sprintf("dropout option adds dropout after all but last recurrent layer, so non-zero "+
			"dropout expects "+
			"num_layers greater than 1, but got dropout=%s and num_layers=1", tensorfmt.PyFloat(o.dropout)))
	}
	r.kind, r.InputSize, r.HiddenSize, r.ProjSize, r.NumLayers = kind, input, hidden, o.proj, o.layers
	r.Bias, r.BatchFirst, r.Bidirectional, r.Dropout = o.bias, o.batchFirst, o.bidirectional, o.dropout
	r.startLayer(self)
	returned := false
	defer o.closeAfterPanic(&r.Base, &returned)
	for layer := range o.layers {
		in := input
		if layer > 0 {
			in = r.outputSize() * r.directions()
		}
		r.direction(&o.paramMaker, fmt.Sprintf("l%d", layer), in)
		if r.Bidirectional {
			r.direction(&o.paramMaker, fmt.Sprintf("l%d_reverse", layer), in)
		}
	}
	for _, e := range r.params {
		r.names = append(r.names, e.name)
	}
	r.perDirection = len(r.names) / int(o.layers*r.directions())
	r.ResetParameters()
	o.as.register(self)
	returned = true
}

// direction makes the parameters of one layer in one direction.
func (r *RNNBase) direction(maker *paramMaker, suffix string, in int64) {
	rows := r.kind.gates() * r.HiddenSize
	r.RegisterParameter("weight_ih_"+suffix, maker.empty(rows, in))
	r.RegisterParameter("weight_hh_"+suffix, maker.empty(rows, r.outputSize()))
	if r.Bias {
		r.RegisterParameter("bias_ih_"+suffix, maker.empty(rows))
		r.RegisterParameter("bias_hh_"+suffix, maker.empty(rows))
	}
	if r.ProjSize > 0 {
		r.RegisterParameter("weight_hr_"+suffix, maker.empty(r.ProjSize, r.HiddenSize))
	}
}

// outputSize returns the size of the hidden state after any projection.
func (r *RNNBase) outputSize() int64 {
	if r.ProjSize > 0 {
		return r.ProjSize
	}
	return r.HiddenSize
}

func (r *RNNBase) directions() int64 {
	if r.Bidirectional {
		return 2
	}
	return 1
}

// describe formats the settings as PyTorch's extra_repr does.
func (r *RNNBase) describe() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d, %d", r.InputSize, r.HiddenSize)
	if r.ProjSize != 0 {
		fmt.Fprintf(&s, ", proj_size=%d", r.ProjSize)
	}
	if r.NumLayers != 1 {
		fmt.Fprintf(&s, ", num_layers=%d", r.NumLayers)
	}
	if !r.Bias {
		s.WriteString(", bias=False")
	}
	if r.BatchFirst {
		s.WriteString(", batch_first=True")
	}
	if r.Dropout != 0 {
		s.WriteString(", dropout=" + tensorfmt.PyFloat(r.Dropout))
	}
	if r.Bidirectional {
		s.WriteString(", bidirectional=True")
	}
	return s.String()
}

// ResetParameters draws new values for all parameters, as the constructor does.
// Follows RNNBase.reset_parameters.
func (r *RNNBase) ResetParameters() {
	mustBeMade("RNNBase.ResetParameters", r)
	resetRecurrent(&r.Base, r.HiddenSize)
}

// resetRecurrent draws initial values as PyTorch's recurrent layers and cells do.
func resetRecurrent(b *Base, hidden int64) {
	bound := 1 / math.Sqrt(float64(hidden))
	for _, p := range parametersOf(b, nil) {
		nninit.Uniform_(p.Tensor, -bound, bound)
	}
}

// AllWeights returns the parameters, one list for each layer and direction. A removed
// parameter is nil. The module owns them. Follows RNNBase.all_weights.
func (r *RNNBase) AllWeights() [][]*torch.Tensor {
	mustBeMade("RNNBase.AllWeights", r)
	lists := make([][]*torch.Tensor, 0, len(r.names)/r.perDirection)
	for i := 0; i < len(r.names); i += r.perDirection {
		list := make([]*torch.Tensor, r.perDirection)
		for j := range list {
			list[j] = r.weight(i + j)
		}
		lists = append(lists, list)
	}
	return lists
}

// FlattenParameters does nothing: only cuDNN needs it.
// Follows RNNBase.flatten_parameters.
func (r *RNNBase) FlattenParameters() {
	mustBeMade("RNNBase.FlattenParameters", r)
}

// weights returns the parameters for the operators and checks them, because the
// kernels do not. The program may have replaced parameters or changed settings.
func (r *RNNBase) weights(op string) []*torch.Tensor {
	shapes := r.shapes()
	if n := int64(len(shapes)) * r.NumLayers * r.directions(); n != int64(len(r.names)) {
		panic(torch.NewError(op, torch.ErrValue, "NumLayers, Bias, ProjSize, Bidirectional",
			fmt.Sprintf("the layer was made with other settings: it has %d parameters, but these settings need %d",
				len(r.names), n)))
	}
	ws := make([]*torch.Tensor, len(r.names))
	for i, name := range r.names {
		ws[i] = r.weight(i)
		switch {
		case ws[i] == nil:
			panic(torch.NewError(op, torch.ErrNil, name, "the parameter was removed"))
		case ws[i].IsClosed():
			panic(torch.NewError(op, torch.ErrClosed, name, "the parameter is closed"))
		}
		want := shapes[i%r.perDirection]
		if i%r.perDirection == 0 && int64(i) >= int64(r.perDirection)*r.directions() {
			// This layer reads the output of the previous layer.
			want = torch.Shape{want[0], r.outputSize() * r.directions()}
		}
		if got := ws[i].Shape(); !got.Equal(want) || ws[i].DType() != ws[0].DType() {
			panic(torch.NewError(op, torch.ErrShape, name,
				fmt.Sprintf("expected %v of size %v, got %v of size %v", ws[0].DType(), want, ws[i].DType(), got)))
		}
	}
	return ws
}

// shapes returns the shapes of the first layer's parameters, in order.
func (r *RNNBase) shapes() []torch.Shape {
	rows := r.kind.gates() * r.HiddenSize
	list := []torch.Shape{{rows, r.InputSize}, {rows, r.outputSize()}}
	if r.Bias {
		list = append(list, torch.Shape{rows}, torch.Shape{rows})
	}
	if r.ProjSize > 0 {
		list = append(list, torch.Shape{r.ProjSize, r.HiddenSize})
	}
	return list
}

// weight returns parameter i or, if the parameter is derived ([Base.Derive]), the
// derived tensor. It returns nil if there is none.
func (r *RNNBase) weight(i int) *torch.Tensor {
	name := r.names[i]
	if i < len(r.params) && r.params[i].name == name { // still at the index where the constructor registered it
		return *r.params[i].slot
	}
	if e := findEntry(r.params, name); e != nil {
		return *e.slot
	}
	if d := r.findDerived(name); d != nil {
		return *d.slot
	}
	return nil
}
