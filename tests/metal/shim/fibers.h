// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a grid: every thread of a threadgroup is a fiber, and a barrier lets nobody
// through before all are there. An OS thread works on one threadgroup at a time.
//
// Between two barriers a SIMD-group runs as far as it can before the next one starts, in
// increasing or decreasing order: a missing barrier then shows as a wrong result.
#pragma once
#undef _FORTIFY_SOURCE  // its longjmp check takes another fiber's stack for a mistake
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "types.h"

namespace msl {

constexpr unsigned simd_width = 32;
constexpr size_t threadgroup_limit = 32768;
constexpr size_t stack_bytes = 65536;

// A place where a known number of threads wait for each other, again and again.
struct Meeting {
  unsigned arrived = 0;
  unsigned round = 0;
  unsigned line = 0;  // of the kernel's text, from the first to arrive
};

struct Fiber {
  jmp_buf resume;
  ucontext_t entry;
  std::unique_ptr<char[]> stack;
  const Meeting* waits_for = nullptr;
  unsigned round = 0;  // of the meeting, when this fiber began to wait
  unsigned line = 0;   // of the operation that it is in
  bool started = false;
  bool finished = false;
  uint3 position;

  bool ready() const { return !finished && !(waits_for && waits_for->round == round); }
};

struct Group;
inline thread_local Group* group;

struct Group {
  std::vector<Fiber> fibers;
  std::vector<Meeting> simds;
  std::vector<void*> offers;  // what each thread brought to its SIMD-group's operation
  Meeting everybody;
  void (*kernel)(void*);
  void* argument;
  unsigned now = 0, alive = 0;
  bool backwards = false;
  uint3 size, grid, id;
  jmp_buf home;
  std::string error;
  // Threadgroup memory, with poisoned gaps between the arrays.
  static constexpr size_t arrays = 32, gap = 256;
  alignas(64) std::array<char, threadgroup_limit + arrays * gap> memory;
  std::array<char*, arrays> places;
  size_t used = 0, counted = 0;

  Fiber& current() { return fibers[now]; }
  unsigned simd_of(unsigned thread) const { return thread / simd_width; }
  unsigned width(unsigned simd) const {
    return std::min<unsigned>(simd_width, fibers.size() - simd * simd_width);
  }
};

[[noreturn]] inline void fail(const std::string& why) {
  group->error = why;
  _longjmp(group->home, 1);
}

// The next ready fiber after the current one within a range that contains it.
inline int next_ready(const Group& g, unsigned first, unsigned count) {
  unsigned at = g.now - first;
  for (unsigned step = 0; step < count; ++step) {
    at = g.backwards ? (at + count - 1) % count : (at + 1) % count;
    if (g.fibers[first + at].ready()) return first + at;
  }
  return -1;
}

inline int choose(const Group& g) {
  unsigned simd = g.simd_of(g.now);
  int next = next_ready(g, simd * simd_width, g.width(simd));
  return next >= 0 ? next : next_ready(g, 0, g.fibers.size());
}

[[noreturn]] inline void enter(Fiber& fiber) {
  fiber.waits_for = nullptr;
  if (fiber.started) _longjmp(fiber.resume, 1);
  fiber.started = true;
  setcontext(&fiber.entry);
  __builtin_unreachable();
}

// Lets the other fibers run until this one's turn comes again.
[[gnu::noinline]] inline void give_way() {
  Group& g = *group;
  Fiber& me = g.current();
  if (!g.alive) {
    if (!_setjmp(me.resume)) _longjmp(g.home, 1);
    return;
  }
  int next = choose(g);
  if (next < 0) fail("deadlock: not all threads reach a barrier or SIMD-group operation");
  g.now = next;
  if (&g.fibers[next] == &me) {
    me.waits_for = nullptr;
    return;
  }
  if (!_setjmp(me.resume)) enter(g.fibers[next]);
}

// A fiber's whole life: the kernel for one threadgroup after another.
inline void live() {
  for (;;) {
    group->kernel(group->argument);
    group->current().finished = true;
    --group->alive;
    give_way();
  }
}

// Waits until `count` threads are here; the last to come performs the action.
template <class Action>
inline void meet(Meeting& meeting, unsigned count, Action action) {
  Fiber& me = group->current();
  if (meeting.arrived && meeting.line != me.line) {
    fail("lines " + std::to_string(meeting.line) + " and " + std::to_string(me.line) +
         ": threads are in different barriers or SIMD-group operations");
  }
  meeting.line = me.line;
  if (++meeting.arrived == count) {
    action();
    meeting.arrived = 0;
    ++meeting.round;
    return;
  }
  me.waits_for = &meeting;
  me.round = meeting.round;
  give_way();
}

// The same in a SIMD-group; the action gets what every lane brought.
template <class T, class Action>
inline void meet_simd(T& mine, Action action) {
  Group& g = *group;
  unsigned simd = g.simd_of(g.now), width = g.width(simd);
  void** offers = &g.offers[simd * simd_width];
  offers[g.now % simd_width] = &mine;
  meet(g.simds[simd], width, [&] { action(reinterpret_cast<T**>(offers), width); });
}

// Where in the kernel's text the current thread is.
inline bool at_line(unsigned line) {
  group->current().line = line;
  return true;
}

// A threadgroup array; all bits are set before a threadgroup starts, which is NaN.
template <class Array, int Index>
inline Array& threadgroup_memory() {
  static_assert(Index < Group::arrays);
  Group& g = *group;
  if (!g.places[Index]) {
    g.counted += (sizeof(Array) + 15) / 16 * 16;
    if (g.counted > threadgroup_limit) fail("more than 32 KiB of threadgroup memory");
    g.places[Index] = g.memory.data() + g.used;
    g.used += (sizeof(Array) + Group::gap + 63) / 64 * 64;
  }
  return *reinterpret_cast<Array*>(g.places[Index]);
}

inline uint3 unflatten(unsigned i, uint3 size) {
  return uint3{i % size.x, i / size.x % size.y, i / size.x / size.y};
}

inline uint3 position_in_grid() { return group->id * group->size + group->current().position; }

inline void prepare(Group& g, uint3 size) {
  unsigned count = size.x * size.y * size.z;
  g.size = size;
  g.fibers = std::vector<Fiber>(count);
  g.simds = std::vector<Meeting>((count + simd_width - 1) / simd_width);
  g.offers.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    Fiber& fiber = g.fibers[i];
    fiber.position = unflatten(i, size);
    fiber.stack.reset(new char[stack_bytes]);
    getcontext(&fiber.entry);
    fiber.entry.uc_stack.ss_sp = fiber.stack.get();
    // Staggered: stacks at the same distance would all use the same cache sets.
    fiber.entry.uc_stack.ss_size = stack_bytes - i % 64 * 192;
    makecontext(&fiber.entry, live, 0);
  }
}

inline void run_threadgroup(Group& g, uint3 id) {
  g.id = id;
  g.alive = g.fibers.size();
  g.now = g.backwards ? g.alive - 1 : 0;
  g.used = g.counted = 0;
  g.places.fill(nullptr);
  memset(g.memory.data(), 0xff, g.memory.size());
  for (Fiber& fiber : g.fibers) fiber.finished = false;
  if (!_setjmp(g.home)) enter(g.current());
}

// Runs the kernel over a grid of threadgroups; returns an error, or nothing.
template <class Kernel>
std::string run_grid(uint3 grid, uint3 size, unsigned workers, bool backwards, Kernel kernel) {
  std::atomic<unsigned> next{0};
  std::vector<std::string> errors(workers);
  auto work = [&](unsigned worker) {
    auto own = std::make_unique<Group>();
    group = own.get();
    prepare(*own, size);
    own->kernel = [](void* function) { (*static_cast<Kernel*>(function))(); };
    own->argument = &kernel;
    own->grid = grid;
    own->backwards = backwards;
    unsigned count = grid.x * grid.y * grid.z;
    for (unsigned i; (i = next++) < count && own->error.empty();) {
      run_threadgroup(*own, unflatten(i, grid));
    }
    errors[worker] = own->error;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < workers; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  for (auto& error : errors) {
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace msl
