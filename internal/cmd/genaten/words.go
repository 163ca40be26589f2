package main

import "strings"

// words are the words in PyTorch's names that packages torch and torch/aten spell in a
// special way, not just with a capital first letter. Other compounds of PyTorch stay one
// word: Nonzero, Logspace, Meshgrid.
var words = wordTable(`
	Abbreviations, as PyTorch's classes have them:
	ReLU ReLU6 RReLU PReLU GELU ELU CELU SELU SiLU GLU RNN GRU LSTM
	MSE NLL CTC KL RMS SGD AdamW
	SVD QR LU LDL
	FFT FFT2 FFTN IFFT IFFT2 IFFTN RFFT RFFT2 RFFTN IRFFT IRFFT2 IRFFTN
	HFFT HFFT2 HFFTN IHFFT IHFFT2 IHFFTN STFT ISTFT
	COO CSR CSC BSR BSC DType

	Go's own terms:
	NaN IsNaN IsInf IsPosInf IsNegInf IsFinite IsReal IsIn IsClose AllClose

	Compounds that PyTorch writes as one word:
	NaNSum NaNMean NaNMedian NaNQuantile SVDVals FFTFreq RFFTFreq FFTShift IFFTShift
	MatMul RSub LstSq TensorDot TensorInv TensorSolve
	ArgMax ArgMin ArgSort ArgWhere CumSum CumProd CumMax CumMin TopK KthValue
	RandInt RandPerm SearchSorted BinCount
	LogSumExp LogAddExp LogAddExp2 LogCumSumExp
	AtLeast HStack VStack DStack HSplit VSplit DSplit
	FlipLR FlipUD DiagFlat MoveDim MoveAxis SwapDims SwapAxes
`)

// wordTable maps each word in text, in lower case, to its spelling. Lines that end in a
// colon are headings.
func wordTable(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(text) {
		if strings.HasSuffix(strings.TrimSpace(line), ":") {
			continue
		}
		for _, w := range strings.Fields(line) {
			table[strings.ToLower(w)] = w
		}
	}
	return table
}

// spell returns a word of an operator's name as it is spelled in Go.
func spell(word string) string {
	if w, ok := words[word]; ok {
		return w
	}
	return raise(word)
}
