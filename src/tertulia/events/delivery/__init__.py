"""Delivery: pending events of each queue, parked polls, wake-up and refill from the log."""
