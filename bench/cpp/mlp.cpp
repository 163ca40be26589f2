// The 32-64-64-10 network: its training step with the fused AdamW kernel and with C++'s
// own optimizer, and its forward pass on one thread and on many.
#include "adamw.hpp"
#include "peer.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/optim/adamw.h>

#include <cmath>
#include <thread>
#include <vector>

namespace peer {

namespace {

struct Network {
  std::vector<at::Tensor> parameters;  // weight and bias of each layer

  explicit Network(bool trained) {
    const int64_t sizes[] = {32, 64, 64, 10};
    for (int i = 0; i < 3; i++) {
      const double bound = 1 / std::sqrt(static_cast<double>(sizes[i]));
      parameters.push_back(at::empty({sizes[i + 1], sizes[i]}).uniform_(-bound, bound));
      parameters.push_back(at::empty({sizes[i + 1]}).uniform_(-bound, bound));
    }
    for (auto& p : parameters) p.requires_grad_(trained);
  }

  at::Tensor forward(const at::Tensor& x) const {
    const auto& p = parameters;
    at::Tensor h = at::relu(at::linear(x, p[0], p[1]));
    h = at::relu(at::linear(h, p[2], p[3]));
    return at::linear(h, p[4], p[5]);
  }

  // Removes the old gradients first, as Python's zero_grad does by default.
  void backward(const at::Tensor& x, const at::Tensor& target) {
    at::Tensor loss = at::cross_entropy_loss(forward(x), target);
    for (auto& p : parameters) p.mutable_grad().reset();
    loss.backward();
  }
};

struct Batch {
  at::Tensor x = at::randn({16, 32});
  at::Tensor target = at::randint(10, {16}, at::kLong);
};

int64_t step_fused(const Args& args) {
  Network net(true);
  FusedAdamW optimizer(net.parameters);
  const Batch batch;
  return timed(args.iterations, [&] {
    net.backward(batch.x, batch.target);
    optimizer.step();
  });
}

int64_t step_optim(const Args& args) {
  Network net(true);
  torch::optim::AdamW optimizer(net.parameters, torch::optim::AdamWOptions(1e-3));
  const Batch batch;
  return timed(args.iterations, [&] {
    net.backward(batch.x, batch.target);
    optimizer.step();
  });
}

int64_t forward(const Args& args) {
  at::NoGradGuard no_grad;
  const Network net(true);
  const Batch batch;
  return timed(args.iterations, [&] { at::Tensor logits = net.forward(batch.x); });
}

// Divides the iterations among worker threads. Each worker warms up before it is timed. The result
// is the time from the first worker's start to the last worker's end.
int64_t concurrent(const Args& args) {
  const Network net(true);
  const Batch batch;
  const int64_t workers = args.get("workers", 8);
  const int64_t each = args.iterations / workers;
  const auto work = [&](int64_t n) {
    at::NoGradGuard no_grad;
    for (int64_t i = 0; i < n; i++) at::Tensor logits = net.forward(batch.x);
  };
  work(each / 20 + 1);
  const int64_t start = now();
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < workers; i++) threads.emplace_back([&] { work(each); });
  for (auto& t : threads) t.join();
  return now() - start;
}

Register fused("mlp.step", step_fused);
Register optim("mlp.step.optim", step_optim);
Register forwards("mlp.forward", forward);
Register workers("mlp.concurrent", concurrent);

}  // namespace

}  // namespace peer
