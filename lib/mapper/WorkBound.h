#pragma once
// Lower bounds from the work that devices of all models have to do, and from when it can be done.
//
// Every model c of m_c devices gets a price; the prices of all devices add up to 1. A task weighs at least
// its time on some model times that model's price, w_t = min over c of price_c * time_tc; and in a while of
// length T no placement does more than weight T, whichever tasks go where. So the weight of all tasks is a
// lower bound for any prices, and for the best ones it is the least T of the linear program that splits tasks
// over models at will (the dual of it: Lenstra, Shmoys and Tardos, Mathematical Programming 46, 1990; "area
// bound" in the literature on tiled factorisations).
//
// The same weights bound parts of the program: tasks that cannot start before a moment, and after each of
// which at least some time follows, have to be done in between (Fernandez and Bussell, IEEE Transactions on
// Computers C-22, 1973).
#include "mapper/FastestWays.h"

namespace streammap {

struct WorkBounds {
  Seconds work;        ///< of all tasks, split over models as suits best
  Seconds pathAndWork; ///< of some tasks, between what must come before all of them and after
};

/// O(tasks x models x rounds + dependencies x models^2), at most 300 rounds and fewer for large problems.
WorkBounds workBounds(const Problem &problem);

} // namespace streammap
