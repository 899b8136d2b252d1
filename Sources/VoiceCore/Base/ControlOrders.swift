/// Commands of the control socket that end what the box does. They get through however many clients are connected, and however
/// many other commands are under way.
package enum ControlOrders {
    package static let names: Set<String> = ["stop", "interrupt", "mute"]
}
