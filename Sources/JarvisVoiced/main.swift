print("jarvis-voiced")
