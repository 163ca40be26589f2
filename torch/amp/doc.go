// Package amp provides automatic mixed precision, like Python's torch.amp. Within
// [Autocast], suitable operators run in bfloat16 or float16. A [GradScaler] keeps small
// float16 gradients from becoming zero.
//
//	scaler := amp.NewGradScaler()
//	for batch := range loader.All() {
//		var loss *torch.Tensor
//		amp.Autocast(torch.CUDA.At(0), torch.Float16, func() {
//			loss = F.CrossEntropy(model.Forward(batch.Input), batch.Target)
//		})
//		opt.ZeroGrad()
//		scaler.Scale(loss).Backward()
//		scaler.Step(opt)
//		scaler.Update()
//	}
//
// bfloat16 has the range of float32 and needs no scaler. Keep the model and its input in float32:
// operators cast their arguments. Run Backward and the optimizer outside of Autocast.
//
// Autocast belongs to the goroutine, like [torch.NoGrad]. Goroutines that are started in
// it do not inherit it, the goroutine is not locked to a thread, and Autocast also ends
// if the function panics.
package amp
