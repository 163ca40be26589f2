package harness

// sequences measures training steps with AdamW (lr 1e-3) on one thread. One model is an LSTM
// of 32 units on 8 sequences of 8 vectors. The other is a transformer encoder with 2 layers,
// 32 features and 4 heads on 8 sequences of 16 vectors.
func sequences() Group {
	return Group{
		Measures: []Measure{
			{ID: "lstm", By: Ours, Case: "lstm.step", Iterations: 1500},
			{ID: "lstm_python", By: "python", Case: "lstm.step", Iterations: 1500},
			{ID: "transformer", By: Ours, Case: "transformer.step", Iterations: 500},
			{ID: "transformer_python", By: "python", Case: "transformer.step", Iterations: 500},
		},
		Rows: []Row{
			{"nn.lstm.python", "ns", time("lstm"), time("lstm_python"), pythonName},
			{"nn.transformer.python", "ns", time("transformer"), time("transformer_python"), pythonName},
		},
	}
}
