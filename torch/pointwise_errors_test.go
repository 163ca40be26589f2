package torch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// Bad input panics with the documented kind of error, and leaves the arguments unchanged.
func TestPointwiseBadInput(t *testing.T) {
	f := torch.FromSlice
	closed := torch.Zeros(torch.Shape{2})
	require.NoError(t, closed.Close())
	var none *torch.Tensor
	torch.Scope(func() {
		v2, v3 := f([]float32{1, 2}), f([]float32{1, 2, 3})
		m23 := torch.Ones(torch.Shape{2, 3})
		ints, bools := f([]int64{4, 5, 6}), f([]bool{true, false, true})
		complexes := f([]complex64{1i, 2})
		leaf := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"add shapes":             {torch.ErrShape, func() { v2.Add(v3) }},
			"add nil":                {torch.ErrNil, func() { v2.Add(nil) }},
			"add to nil":             {torch.ErrNil, func() { none.Add(v2) }},
			"add closed":             {torch.ErrClosed, func() { v2.Add(closed) }},
			"closed exp":             {torch.ErrClosed, func() { closed.Exp() }},
			"zero tensor":            {torch.ErrClosed, func() { new(torch.Tensor).Neg() }},
			"add string":             {torch.ErrType, func() { v2.AddScalar("1") }},
			"add nil number":         {torch.ErrType, func() { v2.AddScalar(nil) }},
			"add huge number":        {torch.ErrValue, func() { v2.AddScalar(uint64(math.MaxUint64)) }},
			"add float alpha":        {torch.ErrDType, func() { ints.Add(ints, torch.Alpha(0.5)) }},
			"sub bools":              {torch.ErrDType, func() { bools.Sub(bools) }},
			"neg bools":              {torch.ErrDType, func() { bools.Neg() }},
			"div mode":               {torch.ErrValue, func() { v2.Div(v2, torch.RoundingMode("up")) }},
			"floor divide by zero":   {torch.ErrRuntime, func() { ints.FloorDivideScalar(0) }},
			"remainder by zero":      {torch.ErrRuntime, func() { ints.RemainderScalar(0) }},
			"pow negative":           {torch.ErrDType, func() { ints.PowScalar(-1) }},
			"hypot ints":             {torch.ErrDType, func() { ints.Hypot(ints) }},
			"nextafter ints":         {torch.ErrDType, func() { ints.Nextafter(ints) }},
			"heaviside dtypes":       {torch.ErrDType, func() { v3.Heaviside(ints) }},
			"gcd floats":             {torch.ErrDType, func() { v2.Gcd(v2) }},
			"logaddexp ints":         {torch.ErrDType, func() { ints.LogAddExp(ints) }},
			"frexp ints":             {torch.ErrDType, func() { ints.Frexp() }},
			"maximum complex":        {torch.ErrDType, func() { complexes.Maximum(complexes) }},
			"lerp dtypes":            {torch.ErrDType, func() { v3.Lerp(v3.Double(), v3) }},
			"addcdiv ints":           {torch.ErrDType, func() { ints.Addcdiv(ints, ints) }},
			"addcmul shapes":         {torch.ErrShape, func() { v2.Addcmul(v2, v3) }},
			"addcmul option nil":     {torch.ErrNil, func() { v2.Addcmul(v2, v2, nil) }},
			"add option nil":         {torch.ErrNil, func() { v2.Add(v2, nil) }},
			"addr float beta":        {torch.ErrDType, func() { ints.Addr(ints, ints, torch.Beta(0.5)) }},
			"round bools":            {torch.ErrDType, func() { bools.Round() }},
			"round ints to decimals": {torch.ErrDType, func() { ints.Round(torch.Decimals(1)) }},
			"logit complex":          {torch.ErrDType, func() { complexes.Logit() }},
			"logit ints in place":    {torch.ErrDType, func() { ints.Logit_() }},
			"gelu ints":              {torch.ErrDType, func() { ints.GELU() }},
			"softplus ints":          {torch.ErrDType, func() { ints.Softplus() }},
			"gelu approximation":     {torch.ErrValue, func() { v2.GELU(torch.Approximate("cubic")) }},
			"sign complex":           {torch.ErrDType, func() { complexes.Sign() }},
			"isposinf complex":       {torch.ErrDType, func() { complexes.IsPosInf() }},
			"ceil complex":           {torch.ErrDType, func() { complexes.Ceil() }},
			"frac ints":              {torch.ErrDType, func() { ints.Frac() }},
			"polygamma":              {torch.ErrValue, func() { v2.Polygamma(-1) }},
			"relu bools":             {torch.ErrDType, func() { bools.ReLU() }},
			"relu complex":           {torch.ErrDType, func() { complexes.ReLU() }},
			"celu":                   {torch.ErrValue, func() { v2.CELU(0) }},
			"prelu":                  {torch.ErrShape, func() { m23.PReLU(v2) }},
			"glu odd":                {torch.ErrShape, func() { m23.GLU(1) }},
			"glu dim":                {torch.ErrIndex, func() { m23.GLU(7) }},
			"softmax dim":            {torch.ErrIndex, func() { m23.Softmax(2) }},
			"softmax ints":           {torch.ErrDType, func() { ints.Softmax(0) }},
			"log softmax dim":        {torch.ErrIndex, func() { m23.LogSoftmax(-3) }},
			"lt complex":             {torch.ErrDType, func() { complexes.Lt(complexes) }},
			"close dtypes":           {torch.ErrRuntime, func() { v2.IsClose(v2.Double()) }},
			"close tolerance":        {torch.ErrValue, func() { v2.AllClose(v2, torch.RTol(-1)) }},
			"and floats":             {torch.ErrDType, func() { v2.BitwiseAnd(v2) }},
			"shift floats":           {torch.ErrDType, func() { v2.BitwiseLeftShiftScalar(1) }},
			"clamp without bounds":   {torch.ErrValue, func() { v2.Clamp(nil, nil) }},
			"clamp complex":          {torch.ErrDType, func() { complexes.Clamp(0, 1) }},
			"clamp string":           {torch.ErrType, func() { v2.Clamp("0", nil) }},
			"clamp closed":           {torch.ErrClosed, func() { v2.ClampTensor(closed, nil) }},
			"where condition":        {torch.ErrDType, func() { torch.Where(v2, v2, v2) }},
			"where nil":              {torch.ErrNil, func() { torch.Where(nil, v2, v2) }},
			"where nil tensor":       {torch.ErrNil, func() { torch.Where(bools, none, 1) }},
			"where string":           {torch.ErrType, func() { torch.Where(bools, v3, "0") }},
			"where shapes":           {torch.ErrShape, func() { v2.Where(bools, 0) }},
			"mask dtype":             {torch.ErrDType, func() { v2.MaskedFill(v2, 0) }},
			"mask shape":             {torch.ErrShape, func() { v2.MaskedFill_(bools, 0) }},
			"in place shape":         {torch.ErrShape, func() { v3.Add_(m23) }},
			"in place dtype":         {torch.ErrDType, func() { ints.Add_(v3) }},
			"in place division":      {torch.ErrDType, func() { ints.DivScalar_(2) }},
			"in place sqrt":          {torch.ErrDType, func() { ints.Sqrt_() }},
			"in place leaf":          {torch.ErrAutograd, func() { leaf.AddScalar_(1) }},
			"fill leaf":              {torch.ErrAutograd, func() { leaf.Fill_(1) }},
			"draw into leaf":         {torch.ErrAutograd, func() { leaf.Normal_(0, 1) }},
			"fill string":            {torch.ErrType, func() { v2.Fill_("1") }},
			"fill vector":            {torch.ErrShape, func() { v2.Fill_(v2) }},
			"fill diagonal":          {torch.ErrShape, func() { v2.FillDiagonal_(1) }},
			"copy shape":             {torch.ErrShape, func() { v2.Copy_(v3) }},
			"copy nil":               {torch.ErrNil, func() { v2.Copy_(nil) }},
			"out nil":                {torch.ErrNil, func() { aten.AddOut(nil, v2, v2, nil) }},
			"out closed":             {torch.ErrClosed, func() { aten.ExpOut(closed, v2) }},
			"out dtype": {torch.ErrDType, func() {
				aten.DivOut(torch.Empty(torch.Shape{3}, torch.Int64), ints, ints)
			}},
			"out gradients": {torch.ErrAutograd, func() {
				aten.AddOut(torch.Empty(torch.Shape{3}), leaf, leaf, nil)
			}},
			"complex dtypes":       {torch.ErrDType, func() { torch.Complex(v2, v2.Double()) }},
			"polar ints":           {torch.ErrDType, func() { torch.Polar(ints, ints) }},
			"imag of real":         {torch.ErrDType, func() { v2.Imag() }},
			"real view of real":    {torch.ErrDType, func() { v2.ViewAsReal() }},
			"complex view":         {torch.ErrShape, func() { m23.ViewAsComplex() }},
			"complex view of ints": {torch.ErrDType, func() { f([]int64{1, 2}).ViewAsComplex() }},
			"uniform range":        {torch.ErrValue, func() { v2.Uniform_(2, 1) }},
			"uniform ints":         {torch.ErrDType, func() { ints.Uniform_(0, 1) }},
			"normal std":           {torch.ErrValue, func() { v2.Normal_(0, -1) }},
			"normal size":          {torch.ErrValue, func() { torch.Normal(0, -1, torch.Shape{2}) }},
			"bernoulli p":          {torch.ErrValue, func() { v2.Bernoulli_(1.5) }},
			"bernoulli elements":   {torch.ErrValue, func() { v3.Bernoulli() }},
			"bernoulli ints":       {torch.ErrDType, func() { ints.Bernoulli() }},
			"exponential rate":     {torch.ErrValue, func() { v2.Exponential_(0) }},
			"exponential ints":     {torch.ErrDType, func() { ints.Exponential_(1) }},
			"geometric p":          {torch.ErrValue, func() { v2.Geometric_(1) }},
			"cauchy sigma":         {torch.ErrValue, func() { v2.Cauchy_(0, 0) }},
			"random range":         {torch.ErrValue, func() { v2.RandomRange_(3, 3) }},
			"random dtype": {torch.ErrIndex, func() {
				torch.Zeros(torch.Shape{2}, torch.Uint8).RandomTo_(1000)
			}},
			"poisson rate":          {torch.ErrValue, func() { v2.Neg().Poisson() }},
			"multinomial count":     {torch.ErrShape, func() { v2.Multinomial(3) }},
			"multinomial weights":   {torch.ErrValue, func() { v2.Neg().Multinomial(1) }},
			"zero generator":        {torch.ErrNil, func() { v2.Uniform_(0, 1, new(torch.Generator)) }},
			"detach view":           {torch.ErrAutograd, func() { complexes.ViewAsReal().Detach_() }},
			"type as nil":           {torch.ErrNil, func() { v2.TypeAs(nil) }},
			"multivariate gamma":    {torch.ErrValue, func() { v2.Mvlgamma(0) }},
			"bound that is complex": {torch.ErrValue, func() { v2.Clamp(1i, nil) }},
			"expand of complex": {torch.ErrShape, func() {
				torch.Ones(torch.Shape{2, 2}, torch.Complex64).Expand(2)
			}},
			"retain no gradient":     {torch.ErrAutograd, func() { v2.RetainGrad() }},
			"argmax of bools":        {torch.ErrDType, func() { bools.ArgMax() }},
			"isin of bools":          {torch.ErrDType, func() { bools.IsIn(bools) }},
			"integral of bools":      {torch.ErrDType, func() { bools.Trapezoid() }},
			"singular factors":       {torch.ErrLinAlg, func() { torch.Ones(torch.Shape{3, 3}).LUFactor() }},
			"quantile of nothing":    {torch.ErrShape, func() { torch.Empty(torch.Shape{0}).Quantile(0.5) }},
			"frames of nothing":      {torch.ErrShape, func() { m23.STFT(7) }},
			"draws below one":        {torch.ErrValue, func() { v2.Multinomial(0) }},
			"unflatten a scalar":     {torch.ErrIndex, func() { torch.Ones(nil).Unflatten(0, 1) }},
			"no dtype to promote to": {torch.ErrDType, func() { torch.PromoteTypes(torch.Float32, 0) }},
		} {
			t.Run(name, func(t *testing.T) {
				var te *torch.Error
				err := torch.Try(func() { torch.Scope(c.fn) })
				require.ErrorAs(t, err, &te)
				require.ErrorIs(t, err, c.kind, "%v is of kind %q", err, te.Kind)
				require.NotEmpty(t, te.Op)
				require.NotEmpty(t, te.Message)
				requireNamed(t, te)
			})
		}
		require.Equal(t, []float32{1, 2}, v2.Float32s())
		require.Equal(t, []float32{1, 2, 3}, v3.Float32s())
		require.Equal(t, []int64{4, 5, 6}, ints.Int64s())
		require.Equal(t, []float32{1, 1, 1}, leaf.Float32s())
	})
}

// The message has the operator's Go name, libtorch's text, and the arguments.
func TestPointwiseErrorText(t *testing.T) {
	torch.Scope(func() {
		a, b := torch.Ones(torch.Shape{2, 3}), torch.Ones(torch.Shape{4})
		require.EqualError(t, torch.Try(func() { a.Add(b) }),
			"torch: Add: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"+
				" [self: float32 (2, 3) cpu; other: float32 (4,) cpu]")
		require.EqualError(t, torch.Try(func() { a.AddScalar("x") }),
			"torch: AddScalar: argument other: expected a number, bool or complex, got string")
		require.EqualError(t, torch.Try(func() { aten.MulOut(a, a, nil) }),
			"torch: MulOut: argument other is a nil *Tensor")
	})
}
