import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// The server's reason reaches the person.
struct ServerReasonTests {
    private static let refusal = ServerError(
        type: "invalid_request_error", code: nil, message: "Tool names must be lowercase.", param: nil
    )

    private func configuring() -> Scene {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.connected)
        scene.server(.sessionCreated(id: "s", expiresAt: nil))
        return scene
    }

    @Test func namesTheReasonOfSettingsRefusedWithoutAField() {
        var scene = configuring()
        scene.server(.error(Self.refusal))
        #expect(scene.refusals.isEmpty, "some servers complain and go on")
        #expect(scene.latest.contains(.startTimer(.setUp, .seconds(3))))
        scene.on(.timer(.setUp))
        #expect(scene.refusals == ["the service rejected the settings: Tool names must be lowercase."])
        #expect(scene.pause == .seconds(300), "not every 30 s for ever")
        #expect(scene.machine.trouble?.reason.contains("lowercase") == true)
    }

    @Test func errorOnTheSettingsRefusesImmediately() {
        var scene = configuring()
        var error = Self.refusal
        error.eventID = "settings-1"
        scene.server(.error(error))
        #expect(scene.refusals.count == 1)
    }

    @Test func errorBeforeTheConfirmationChangesNothing() {
        var scene = configuring()
        scene.server(.error(Self.refusal))
        scene.server(.sessionUpdated(Scene.settings.json))
        #expect(scene.state == .listening)
        #expect(!scene.machine.timers.contains(.setUp))
    }

    @Test func namesTheReasonIfTheServiceClosesTheSession() {
        var scene = configuring()
        scene.server(.error(Self.refusal))
        scene.on(.disconnected(LinkFailure(.transient, "the server closed the connection with code 1000")))
        #expect(scene.refusals.first?.contains("lowercase") == true)
        var early = Scene()
        early.on(.activate)
        early.on(.connected)
        early.server(.error(ServerError(type: "error", code: nil, message: "The pipeline has no voice.")))
        early.on(.disconnected(LinkFailure(.transient, "closed")))
        #expect(early.machine.trouble?.reason == "closed (error: The pipeline has no voice.)")
    }

    // MARK: Rate limits

    private func limited(_ message: String?) -> Scene {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        let outcome = ResponseOutcome(id: "r1", status: .failed, reason: "rate_limit_exceeded", message: message)
        scene.server(.responseDone(outcome))
        return scene
    }

    private func pause(_ scene: Scene) -> Duration? {
        scene.latest.compactMap { if case .startTimer(.retryResponse, let pause) = $0 { pause } else { nil } }.first
    }

    @Test func waitsForThePauseOfTheService() {
        #expect(pause(limited("Rate limit reached. Please try again in 1.2s.")) == .milliseconds(1300))
        #expect(pause(limited(nil)) == .seconds(8))
    }

    @Test func longPauseEndsTheRetries() {
        let scene = limited("Rate limit reached for requests per day. Please try again in 1m26.4s.")
        #expect(pause(scene) == nil)
        #expect(scene.effects.contains(.play(.error)))
        #expect(
            scene.effects.contains { effect in
                guard case .note(.responseFailed(_, let reason)) = effect else { return false }
                return reason?.contains("try again in 1m26.4s") == true
            }
        )
    }

    @Test func rateLimitedRequestWaitsForThePauseOfTheService() {
        var scene = Scene.calling()
        scene.answer("c1")
        let text = "Rate limit reached. Please try again in 600ms."
        scene.server(.error(ServerError(type: "tokens", code: "rate_limit_exceeded", message: text)))
        #expect(pause(scene) == .milliseconds(700))
    }

    @Test func aFailedResponseNamesTheServersReason() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        let text = "The model `gpt-x` does not exist or you do not have access to it."
        let outcome = ResponseOutcome(id: "r1", status: .failed, reason: "model_not_found", message: text)
        scene.server(.responseDone(outcome))
        #expect(scene.refusals == ["model_not_found: \(text)"])
    }

    // MARK: Forms of errors

    @Test(
        arguments: [
            (#"{"type":"error","error":{"type":"x","code":400,"message":"No."}}"#, "400"),
            (#"{"type":"error","error":"No."}"#, nil), (#"{"type":"error","message":"No."}"#, nil),
            (#"{"type":"error","error":{"type":"x","message":"No.","param":null,"event_id":null}}"#, nil),
            (#"{"type":"error","error":{"detail":"No.","param":["session"]}}"#, nil),
        ] as [(String, String?)]
    )
    func readsAnErrorInEveryForm(text: String, code: String?) throws {
        guard case .error(let error) = try ServerEventDecoder().decode(text) else {
            Issue.record("no error")
            return
        }
        #expect(error.message == "No." && error.code == code)
    }

    @Test func readsTheReasonOfAFailedResponse() throws {
        let text =
            #"{"type":"response.done","response":{"id":"r","status":"failed","status_details":{"type":"failed","error":"#
            + #"{"type":"tokens","code":"rate_limit_exceeded","message":"Please try again in 1.2s."}}}}"#
        guard case .responseDone(let outcome) = try ServerEventDecoder().decode(text) else {
            Issue.record("no response")
            return
        }
        #expect(outcome.message == "Please try again in 1.2s." && outcome.reason == "rate_limit_exceeded")
    }

    // MARK: Words where no code is known

    @Test(
        arguments: [
            (nil, "invalid_request_error", "You have run out of credits.", .account),
            ("quota_exceeded", "x", "Out of quota", .account), ("429", "x", "Too Many Requests", .limited),
            (nil, "tokens", "Rate-limited; retry after 3 s", .limited), ("throttled", "x", "Throttled", .limited),
            (nil, "authentication_error", "bad key", .account), ("x", "x", "The session has expired", .expired),
            ("x", "x", "Tool names must be lowercase.", .other),
        ] as [(String?, String, String, ErrorClass)]
    )
    func readsTheMeaningOfAnErrorInItsWords(code: String?, type: String, message: String, meaning: ErrorClass) {
        #expect(ErrorClass(ServerError(type: type, code: code, message: message)) == meaning)
    }
}
