print("websocket-echo")
