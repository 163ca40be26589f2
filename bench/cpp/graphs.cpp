// Trains small models made of libtorch's C++ layers, with the fused
// AdamW kernel. The times are compared with replays of captured steps.
#include "adamw.hpp"
#include "peer.hpp"

#include <torch/nn.h>

namespace peer {

namespace {

// Backward passes start without gradients, as after Python's zero_grad, which removes
// them by default.
template <class Forward>
int64_t train(const Args& args, const std::vector<at::Tensor>& parameters, at::IntArrayRef shape, int64_t examples,
              Forward forward) {
  FusedAdamW optimizer(parameters);
  const at::Tensor x = at::randn(shape), target = at::randint(10, {examples}, at::kLong);
  return timed(args.iterations, [&] {
    at::Tensor loss = at::cross_entropy_loss(forward(x), target);
    for (auto p : parameters) p.mutable_grad().reset();
    loss.backward();
    optimizer.step();
  });
}

std::vector<at::Tensor> parameters(const torch::nn::Module& a, const torch::nn::Module& b) {
  std::vector<at::Tensor> all = a.parameters();
  for (const at::Tensor& p : b.parameters()) all.push_back(p);
  return all;
}

int64_t block(const Args& args) {
  torch::nn::TransformerEncoderLayer layer(
      torch::nn::TransformerEncoderLayerOptions(32, 4).dim_feedforward(64).dropout(0));
  torch::nn::Linear head(32, 10);
  return train(args, parameters(*layer, *head), {16, 8, 32}, 8,
               [&](const at::Tensor& x) { return head(layer(x).mean(0)); });
}

int64_t lstm(const Args& args) {
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(16, 32).batch_first(true));
  torch::nn::Linear head(32, 10);
  return train(args, parameters(*lstm, *head), {8, 8, 16}, 8,
               [&](const at::Tensor& x) { return head(std::get<0>(lstm(x)).select(1, -1)); });
}

int64_t cnn(const Args& args) {
  torch::nn::Sequential net(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3)), torch::nn::ReLU(),
      torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 64, 3).padding(1)), torch::nn::ReLU(),
      torch::nn::AdaptiveAvgPool2d(1), torch::nn::Flatten(), torch::nn::Linear(64, 10));
  return train(args, net->parameters(), {8, 3, 64, 64}, 8, [&](const at::Tensor& x) { return net->forward(x); });
}

Register blocks("graph.block", block);
Register lstms("graph.lstm", lstm);
Register cnns("graph.cnn", cnn);

}  // namespace

}  // namespace peer
