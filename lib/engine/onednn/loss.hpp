#pragma once
// Softmax cross-entropy on float32 logits [samples, classes].

#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "engine/onednn/stage.hpp"

namespace oida::onednn {

/// Loss, with the options' class weights and label smoothing, and correct answers of the first
/// batch.n samples; writes the gradient of the logits, whose
/// element type is `element`, for all `samples`: zero beyond batch.n and where the label is -1.
StepResult softmax_loss(const Batch& batch, const EngineOptions& options, const Tensor& logits,
                        int samples, Element element, void* gradient);

/// Softmax of the first n rows.
void softmax(const Tensor& logits, int n, float* probabilities);

}  // namespace oida::onednn
