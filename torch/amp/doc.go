// Package amp computes in mixed precision, as Python's torch.amp does: [Autocast] has
// operators that gain by it run in bfloat16 or float16, and a [GradScaler] keeps small
// gradients in float16 from becoming zero.
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
// With bfloat16, which has the range of float32, there is no need for a scaler. Leave the
// model and its input in float32: operators cast what they take. Backward and the
// optimizer belong outside of Autocast.
//
// Autocast belongs to the goroutine, as [torch.NoGrad] does: goroutines that are started
// in it do not inherit it, it locks no thread, and it ends with a panic too.
package amp
