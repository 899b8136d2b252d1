/// Stand-ins for the two services the daemon talks to, on loopback.
package enum VoiceSimulator {}
